/* SPDX-License-Identifier: BSD-2-Clause */
/* See next_allocator.h. */
#include "next_allocator.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap.h"

/* ---- Finding ----------------------------------------------------------------------- */

/* A program may free, if only NULL, before it allocates anything. */
static void free_first(void *block)
{
    if (block != NULL && !early_has(block) && real_find())
        real.free(block);
}

struct real real = {.free = free_first};

/* dlsym gives a function as a pointer to an object. */
static void find(void *function, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    memcpy(function, &found, sizeof(found));
}

static void give_up(void)
{
    static const char what[] = "libfxtheap: the program's own allocator was not found\n";

    if (write(STDERR_FILENO, what, sizeof(what) - 1) < 0)
        _exit(127);
    _exit(127);
}

static void find_all(void)
{
    struct real found = {0};

    find(&found.malloc, "malloc");
    find(&found.calloc, "calloc");
    find(&found.realloc, "realloc");
    find(&found.free, "free");
    find(&found.posix_memalign, "posix_memalign");
    find(&found.aligned_alloc, "aligned_alloc");
    find(&found.memalign, "memalign");
    find(&found.valloc, "valloc");
    find(&found.pvalloc, "pvalloc");
    find(&found.malloc_usable_size, "malloc_usable_size");
    if (found.malloc == NULL || found.calloc == NULL || found.realloc == NULL ||
        found.free == NULL)
        give_up();
    real = found;
}

enum { FIND_NEW, FIND_BUSY, FIND_DONE };

bool real_find(void)
{
    static uint32_t state;
    uint32_t expected = FIND_NEW;

    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == FIND_DONE)
        return true;
    if (!__atomic_compare_exchange_n(&state, &expected, FIND_BUSY, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
        return expected == FIND_DONE;
    find_all();
    __atomic_store_n(&state, FIND_DONE, __ATOMIC_RELEASE);
    return true;
}

/* ---- Before ------------------------------------------------------------------------ */

enum { EARLY_SIZE = 1 << 16, EARLY_UNIT = 16 };

static _Alignas(EARLY_UNIT) unsigned char early[EARLY_SIZE];
static size_t early_used;

/* Each block has its size in front. */
void *early_allocate(size_t size)
{
    size_t whole;
    size_t at;

    if (size <= EARLY_SIZE - 2 * EARLY_UNIT) {
        whole = EARLY_UNIT + (size + EARLY_UNIT - 1) / EARLY_UNIT * EARLY_UNIT;
        at = __atomic_fetch_add(&early_used, whole, __ATOMIC_RELAXED);
        if (at <= EARLY_SIZE - whole) {
            memcpy(early + at, &size, sizeof(size));
            heap_mark_early(early + at + EARLY_UNIT);
            return early + at + EARLY_UNIT;
        }
    }
    errno = ENOMEM;
    return NULL;
}

bool early_has(const void *block)
{
    return (uintptr_t)block - (uintptr_t)early < EARLY_SIZE;
}

size_t early_size(const void *block)
{
    size_t size;

    memcpy(&size, (const unsigned char *)block - EARLY_UNIT, sizeof(size));
    return size;
}
