/* SPDX-License-Identifier: BSD-2-Clause */
/* See next_allocator.h. */
#include "next_allocator.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libfxtheap/filter.h"

/* ---- Finding ----------------------------------------------------------------------- */

/* A program may free, if only NULL, before it allocates anything. */
static void free_first(void *block)
{
    if (block != NULL && !early_has(block) && next_allocator_find())
        next_allocator.free(block);
}

struct next_allocator next_allocator = {.free = free_first};

static void *find_next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static void *(*find_symbol)(const char *name) = find_next;

void next_allocator_find_by(void *(*find)(const char *name))
{
    find_symbol = find;
}

/* dlsym gives a function as a pointer to an object. */
static void find_function(void *function, const char *name)
{
    void *found = find_symbol(name);

    memcpy(function, &found, sizeof(found));
}

static void exit_without_allocator(void)
{
    static const char what[] = "libfxtheap: the program's own allocator was not found\n";

    if (write(STDERR_FILENO, what, sizeof(what) - 1) < 0)
        _exit(127);
    _exit(127);
}

static void find_functions(void)
{
    struct next_allocator found = {0};

    find_function(&found.malloc, "malloc");
    find_function(&found.calloc, "calloc");
    find_function(&found.realloc, "realloc");
    find_function(&found.free, "free");
    find_function(&found.posix_memalign, "posix_memalign");
    find_function(&found.aligned_alloc, "aligned_alloc");
    find_function(&found.memalign, "memalign");
    find_function(&found.valloc, "valloc");
    find_function(&found.pvalloc, "pvalloc");
    find_function(&found.malloc_usable_size, "malloc_usable_size");
    find_function(&found.mmap, "mmap");
    find_function(&found.munmap, "munmap");
    find_function(&found.mremap, "mremap");
    if (found.malloc == NULL || found.calloc == NULL || found.realloc == NULL ||
        found.free == NULL)
        exit_without_allocator();
    next_allocator = found;
}

enum { FIND_NEW, FIND_BUSY, FIND_DONE };

bool next_allocator_find(void)
{
    static uint32_t state;
    uint32_t expected = FIND_NEW;

    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == FIND_DONE)
        return true;
    if (!__atomic_compare_exchange_n(&state, &expected, FIND_BUSY, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
        return expected == FIND_DONE;
    find_functions();
    __atomic_store_n(&state, FIND_DONE, __ATOMIC_RELEASE);
    return true;
}

/* A library that came with a module loaded by dlopen is not found by RTLD_NEXT. */
void *next_allocator_other(void **known, const char *name, const char *const *libraries)
{
    void *found = __atomic_load_n(known, __ATOMIC_RELAXED);

    if (found != NULL)
        return found;
    found = dlsym(RTLD_NEXT, name);
    for (; *libraries != NULL && found == NULL; libraries++) {
        void *library = dlopen(*libraries, RTLD_LAZY | RTLD_NOLOAD);

        if (library != NULL)
            found = dlsym(library, name);
    }
    __atomic_store_n(known, found, __ATOMIC_RELAXED);
    return found;
}

/* ---- Early blocks
 * ------------------------------------------------------------------------ */

enum { EARLY_SIZE = 1 << 16, EARLY_UNIT = 16 };

static _Alignas(EARLY_UNIT) unsigned char early[EARLY_SIZE];
static size_t early_used;

/* The size of each block precedes it. */
void *early_allocate(size_t size)
{
    size_t whole;
    size_t at;

    if (size <= EARLY_SIZE - 2 * EARLY_UNIT) {
        whole = EARLY_UNIT + (size + EARLY_UNIT - 1) / EARLY_UNIT * EARLY_UNIT;
        at = __atomic_fetch_add(&early_used, whole, __ATOMIC_RELAXED);
        if (at <= EARLY_SIZE - whole) {
            memcpy(early + at, &size, sizeof(size));
            filter_mark_early(early + at + EARLY_UNIT);
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
