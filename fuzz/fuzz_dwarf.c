/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as an ELF file whose lines are read. libdw may crash, which is the end of the
 * process that it is in; this one must use what that process wrote before, and symbols.
 *
 * Coverage of libdw is not seen here: good inputs come from fuzz/corpus and from mutating
 * these.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libfxtprofile/symbols/binary.h"
#include "target.h"

enum { MAX_ADDRESSES = 256 };

/* The start of all code, where the functions most likely are. */
static size_t choose(const struct elf *elf, uint64_t *addresses)
{
    size_t n = 0;

    for (size_t i = 0; i < elf->symbols.ranges.n && n < MAX_ADDRESSES / 2; i++) {
        addresses[n++] = elf->symbols.ranges.items[i].start;
        addresses[n++] = elf->symbols.ranges.items[i].limit - 1;
    }
    for (uint64_t a = elf->image.code[0].vaddr;
         a < elf->image.code[0].limit && n < MAX_ADDRESSES; a++)
        addresses[n++] = a;
    return n;
}

static void check_lines(const struct source_lines *lines)
{
    require(lines->n <= DEBUG_DEPTH_MAX, "functions are not without end");
    for (size_t i = 0; i < lines->n; i++) {
        const struct source_line *line = &lines->items[i];

        require(line->name != NULL, "what is found has a name");
        require(strlen(line->name) <= DEBUG_MESSAGE_MAX, "names end");
        require(line->scope == NULL || strlen(line->scope) <= DEBUG_MESSAGE_MAX,
                "names of scopes end");
        require(line->file == NULL || strlen(line->file) <= DEBUG_MESSAGE_MAX,
                "names of files end");
    }
}

static void look_up(struct binary *binary)
{
    uint64_t addresses[MAX_ADDRESSES];
    size_t n = choose(&binary->elf, addresses);
    struct source_lines lines = {NULL, 0, 0};
    struct text why = {NULL, 0, 0};
    bool ok;

    for (size_t i = 0; i < n; i++)
        binary_want(binary, addresses[i]);
    ok = binary_read_lines(binary, NULL, &why);
    require(ok == (why.size == 0), "a failure has a reason");
    for (size_t i = 0; i < n; i++) {
        binary_lines(binary, addresses[i], &lines);
        check_lines(&lines);
        require(lines.n > 0 || binary_symbol(binary, addresses[i]) == NULL,
                "symbols are names");
    }
    text_free(&why);
    memory_release(lines.items);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz_dwarf", MFD_CLOEXEC);
    struct text why = {NULL, 0, 0};
    struct binary *binary;
    char name[64];

    require(fd >= 0 && write(fd, data, size) == (ssize_t)size, "there is a file");
    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    binary = binary_open(name, &why);
    if (binary != NULL)
        look_up(binary);
    binary_close(binary);
    text_free(&why);
    close(fd);
    return 0;
}
