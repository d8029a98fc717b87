/* SPDX-License-Identifier: BSD-2-Clause */
/* An allocator that may be called at any time, signal handlers included, since it gives
 * nothing back: for libfxtheap to stand in front of. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORTED __attribute__((visibility("default")))

int posix_memalign(void **block, size_t alignment, size_t size);
void *aligned_alloc(size_t alignment, size_t size);

enum { UNIT = 16 };

static _Alignas(4096) unsigned char memory[(size_t)1 << 33];
static size_t used = UNIT;

static void *take(size_t alignment, size_t size)
{
    size_t whole = size + alignment + UNIT;
    size_t at =
        __atomic_fetch_add(&used, (whole + UNIT - 1) / UNIT * UNIT, __ATOMIC_RELAXED);
    uintptr_t block;

#ifdef SIMPLE_MALLOC_MAPS
    /* As those do that have their memory from the kernel. */
    if (mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
        return NULL;
#endif
    if (whole < size || at > sizeof(memory) - whole) {
        errno = ENOMEM;
        return NULL;
    }
    block = ((uintptr_t)(memory + at) + UNIT + alignment - 1) / alignment * alignment;
    memcpy(memory + (block - (uintptr_t)memory) - UNIT, &size, sizeof(size));
    return memory + (block - (uintptr_t)memory);
}

static size_t size_of(const void *block)
{
    size_t size;

    memcpy(&size, (const unsigned char *)block - UNIT, sizeof(size));
    return size;
}

EXPORTED void *malloc(size_t size)
{
    return take(UNIT, size);
}

EXPORTED void *calloc(size_t n, size_t size)
{
    return take(UNIT, n * size);
}

EXPORTED void *realloc(void *old, size_t size)
{
    void *block = take(UNIT, size);

    if (block != NULL && old != NULL)
        memcpy(block, old, size_of(old) < size ? size_of(old) : size);
    return block;
}

EXPORTED void free(void *block)
{
    (void)block;
}

EXPORTED int posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = take(alignment, size);
    return *block != NULL ? 0 : ENOMEM;
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size)
{
    return take(alignment, size);
}
