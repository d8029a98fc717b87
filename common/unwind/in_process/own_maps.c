/* SPDX-License-Identifier: BSD-2-Clause */
/* See own_maps.h. */
#include "own_maps.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The C library's functions would let the thread be cancelled here. */
bool own_maps_open(struct own_maps *maps)
{
    memset(maps, 0, sizeof(*maps));
    maps->file = (int)syscall(SYS_openat, (long)AT_FDCWD, "/proc/self/maps",
                              (long)(O_RDONLY | O_CLOEXEC), 0L);
    return maps->file >= 0;
}

void own_maps_close(struct own_maps *maps)
{
    syscall(SYS_close, (long)maps->file);
}

/* Returns the next byte, or -1 at the end. */
static int next_byte(struct own_maps *maps)
{
    if (maps->at == maps->n) {
        long n = syscall(SYS_read, (long)maps->file, maps->bytes, sizeof(maps->bytes));

        if (n <= 0)
            return -1;
        maps->n = (size_t)n;
        maps->at = 0;
    }
    return (unsigned char)maps->bytes[maps->at++];
}

/* A number, and one byte after it. */
static uint64_t take_number(struct own_maps *maps, unsigned base)
{
    uint64_t number = 0;

    for (;;) {
        int c = next_byte(maps);
        unsigned digit = base;

        if (c >= '0' && c <= '9')
            digit = (unsigned)c - '0';
        else if (c >= 'a' && c <= 'f')
            digit = (unsigned)c - 'a' + 10;
        if (digit >= base) {
            maps->at -= c == '\n';
            return number;
        }
        number = number * base + digit;
    }
}

/* A line such as 7f00-8f00 r-xp 00001000 08:01 1234    /lib/libc.so */
bool own_maps_next(struct own_maps *maps, struct own_mapping *mapping)
{
    int c;

    mapping->start = take_number(maps, 16);
    mapping->limit = take_number(maps, 16);
    mapping->is_readable = next_byte(maps) == 'r';
    mapping->is_writable = next_byte(maps) == 'w';
    mapping->is_executable = next_byte(maps) == 'x';
    next_byte(maps);
    next_byte(maps);
    mapping->offset = take_number(maps, 16);
    mapping->device = take_number(maps, 16) << 32;
    mapping->device |= take_number(maps, 16);
    mapping->inode = take_number(maps, 10);
    do
        c = next_byte(maps);
    while (c >= 0 && c != '\n');
    return c == '\n';
}

bool own_maps_find(uint64_t address, struct own_mapping *mapping)
{
    struct own_maps maps;
    bool found = false;

    if (!own_maps_open(&maps))
        return false;
    while (!found && own_maps_next(&maps, mapping))
        found = address >= mapping->start && address < mapping->limit;
    own_maps_close(&maps);
    return found;
}
