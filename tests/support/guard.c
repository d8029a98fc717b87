/* SPDX-License-Identifier: BSD-2-Clause */
/* See guard.h. */
#include "guard.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void guard_create(struct guard *guard, size_t size)
{
    unsigned char *memory;

    guard->page = (size_t)sysconf(_SC_PAGESIZE);
    size = (size / guard->page + 1) * guard->page;
    memory = (unsigned char *)mmap(NULL, size + 2 * guard->page, PROT_NONE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    guard->start = memory + guard->page;
    guard->end = guard->start + size;
    if (mprotect(guard->start, size, PROT_READ | PROT_WRITE) != 0)
        abort();
}

void guard_destroy(struct guard *guard)
{
    munmap(guard->start - guard->page,
           (size_t)(guard->end - guard->start) + 2 * guard->page);
}

static unsigned char *copy(unsigned char *to, const void *data, size_t size)
{
    if (size > 0)
        memcpy(to, data, size);
    return to;
}

unsigned char *guard_at_end(struct guard *guard, const void *data, size_t size)
{
    return copy(guard->end - size, data, size);
}

unsigned char *guard_at_start(struct guard *guard, const void *data, size_t size)
{
    return copy(guard->start, data, size);
}
