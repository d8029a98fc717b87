/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The next allocator: the functions that follow this library's in symbol lookup.
 *
 * Finding them may allocate, as dlsym does for its errors; allocations made during that
 * come from a small buffer that is never freed (early).
 */
#ifndef LIBFXTHEAP_INTERCEPT_NEXT_ALLOCATOR_H
#define LIBFXTHEAP_INTERCEPT_NEXT_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct next_allocator {
    void *(*malloc)(size_t size);
    void *(*calloc)(size_t n, size_t size);
    void *(*realloc)(void *old, size_t size);
    void (*free)(void *block);
    int (*posix_memalign)(void **block, size_t alignment, size_t size);
    void *(*aligned_alloc)(size_t alignment, size_t size);
    void *(*memalign)(size_t alignment, size_t size);
    void *(*valloc)(size_t size);
    void *(*pvalloc)(size_t size);
    size_t (*malloc_usable_size)(void *block);
    /* Not of an allocator; NULL where they are not found. */
    void *(*mmap)(void *at, size_t size, int protection, int flags, int file,
                  off_t offset);
    int (*munmap)(void *at, size_t size);
    void *(*mremap)(void *at, size_t size, size_t new_size, int flags, ...);
};

/* All NULL until next_allocator_find has found them, except free, which may always be
 * called. */
extern struct next_allocator next_allocator __attribute__((visibility("hidden")));

/* Finds the next allocator where this library does not come first: by a function that
 * returns NULL for what is not there. To be called before next_allocator_find. */
void next_allocator_find_by(void *(*find)(const char *name));

/* Returns false while they are being found. Ends the program if there are none. */
bool next_allocator_find(void);

/* Another function of that name, which may be missing: the one that follows this
 * library's in symbol lookup, or that of one of these libraries if it is loaded; NULL
 * ends their names. It is looked up until it is found, and kept in `*known`. */
void *next_allocator_other(void **known, const char *name, const char *const *libraries);

/* A block for the time until then, aligned as malloc's; NULL when no memory is left. */
void *early_allocate(size_t size);

bool early_has(const void *block);

/* The size of an early block. */
size_t early_size(const void *block);

#endif
