/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * malloc and related functions. Each has a fast path for blocks that are not recorded,
 * which costs little more than the jump, and a slow path. The slow paths are entered by a
 * tail call, so that their return address is in the program; for aligned blocks, which
 * are rare, there is only one path.
 *
 * Blocks are passed on unchanged, with nothing around them, so that everything else that
 * the program does with them (malloc_usable_size, malloc_trim, ...) works as without this
 * library.
 */
#include "intercept.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/compiler.h>

#include "libfxtheap/heap.h"
#include "libfxtheap/in_use.h"
#include "next_allocator.h"

#define FRAME HEAP_FRAME

/* The program's calls of malloc reach this library. */
static bool is_called;

/* ---- malloc, calloc, free ---------------------------------------------------------- */

static FXT_NOINLINE void *malloc_slowly(size_t size)
{
    void *block;

    if (!is_called)
        __atomic_store_n(&is_called, true, __ATOMIC_RELAXED);
    if (!next_allocator_find())
        return early_allocate(size);
    block = next_allocator.malloc(size);
    if (block != NULL)
        heap_add(block, size, FRAME);
    return block;
}

void *intercept_malloc(size_t size)
{
    if (FXT_LIKELY(heap_passes(size)))
        return next_allocator.malloc(size);
    return malloc_slowly(size);
}

FXT_API __typeof__(malloc) malloc __attribute__((alias("intercept_malloc")));

/* The memory of early blocks is used once, and so is zero. */
static FXT_NOINLINE void *calloc_slowly(size_t n, size_t size)
{
    size_t whole;
    void *block;

    if (__builtin_mul_overflow(n, size, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    if (!next_allocator_find())
        return early_allocate(whole);
    block = next_allocator.calloc(n, size);
    if (block != NULL)
        heap_add(block, whole, FRAME);
    return block;
}

FXT_API void *calloc(size_t n, size_t size)
{
    size_t whole;

    if (FXT_LIKELY(!__builtin_mul_overflow(n, size, &whole) && heap_passes(whole)))
        return next_allocator.calloc(n, size);
    return calloc_slowly(n, size);
}

/* The table must not know the block any more when another thread may get it. */
void intercept_free_slowly(void *block)
{
    if (block == NULL || early_has(block) || !next_allocator_find())
        return;
    heap_remove(block);
    next_allocator.free(block);
}

void intercept_free(void *block)
{
    intercept_free_block(block);
}

FXT_API __typeof__(free) free __attribute__((alias("intercept_free")));

/* Those of C23, which many headers do not declare yet: free takes the same blocks. */
FXT_API void free_sized(void *block, size_t size);
FXT_API void free_aligned_sized(void *block, size_t alignment, size_t size);

FXT_API void free_sized(void *block, size_t size)
{
    (void)size;
    intercept_free_block(block);
}

FXT_API void free_aligned_sized(void *block, size_t alignment, size_t size)
{
    (void)alignment;
    (void)size;
    intercept_free_block(block);
}

/* ---- realloc ----------------------------------------------------------------------- */

static void *move_early(void *old, size_t size, const void *frame)
{
    size_t old_size = early_size(old);
    void *block =
        next_allocator_find() ? next_allocator.malloc(size) : early_allocate(size);

    if (block == NULL)
        return NULL;
    memcpy(block, old, old_size < size ? old_size : size);
    if (!early_has(block))
        heap_add(block, size, frame);
    return block;
}

static void *move_block(void *old, size_t size, const void *frame)
{
    uint32_t *counter = in_use_begin();
    struct heap_slot_v1 *slot = heap_begin_move(old);
    void *block = next_allocator.realloc(old, size);

    if (block != NULL)
        heap_move(slot, old, block, size, frame);
    else if (size == 0)
        heap_forget(slot, old);
    else
        heap_keep(slot);
    in_use_end(counter);
    return block;
}

static void *resize_block(void *old, size_t size, const void *frame)
{
    void *block;

    if (early_has(old))
        return move_early(old, size, frame);
    if (!next_allocator_find())
        return early_allocate(size);
    if (old != NULL)
        return move_block(old, size, frame);
    block = next_allocator.realloc(NULL, size);
    if (block != NULL && !heap_passes(size))
        heap_add(block, size, frame);
    return block;
}

static FXT_NOINLINE void *realloc_slowly(void *old, size_t size)
{
    return resize_block(old, size, FRAME);
}

FXT_API void *realloc(void *old, size_t size)
{
    if (FXT_LIKELY(filter_excludes(old) && heap_passes(size)))
        return next_allocator.realloc(old, size);
    return realloc_slowly(old, size);
}

FXT_API void *reallocarray(void *old, size_t n, size_t size)
{
    size_t whole;

    if (!__builtin_mul_overflow(n, size, &whole))
        return resize_block(old, whole, FRAME);
    errno = ENOMEM;
    return NULL;
}

/* ---- Aligned blocks ---------------------------------------------------------------- */

static void *add_aligned(void *block, size_t size, const void *frame)
{
    if (block != NULL && !heap_passes(size))
        heap_add(block, size, frame);
    return block;
}

static void *refuse_size(void)
{
    errno = ENOMEM;
    return NULL;
}

FXT_API int posix_memalign(void **block, size_t alignment, size_t size)
{
    int error = ENOMEM;

    if (next_allocator_find() && next_allocator.posix_memalign != NULL)
        error = next_allocator.posix_memalign(block, alignment, size);
    if (error == 0)
        add_aligned(*block, size, FRAME);
    return error;
}

FXT_API void *aligned_alloc(size_t alignment, size_t size)
{
    if (!next_allocator_find() || next_allocator.aligned_alloc == NULL)
        return refuse_size();
    return add_aligned(next_allocator.aligned_alloc(alignment, size), size, FRAME);
}

FXT_API void *memalign(size_t alignment, size_t size)
{
    if (!next_allocator_find() || next_allocator.memalign == NULL)
        return refuse_size();
    return add_aligned(next_allocator.memalign(alignment, size), size, FRAME);
}

FXT_API void *valloc(size_t size)
{
    if (!next_allocator_find() || next_allocator.valloc == NULL)
        return refuse_size();
    return add_aligned(next_allocator.valloc(size), size, FRAME);
}

/* musl's headers do not declare it. */
FXT_API void *pvalloc(size_t size);

FXT_API void *pvalloc(size_t size)
{
    if (!next_allocator_find() || next_allocator.pvalloc == NULL)
        return refuse_size();
    return add_aligned(next_allocator.pvalloc(size), size, FRAME);
}

FXT_API size_t malloc_usable_size(void *block)
{
    if (early_has(block))
        return early_size(block);
    return next_allocator_find() && next_allocator.malloc_usable_size != NULL
               ? next_allocator.malloc_usable_size(block)
               : 0;
}

/* ---- Interception ------------------------------------------------------------------ */

bool intercept_is_first(void)
{
    void *(*volatile theirs)(size_t) = malloc;

    free(theirs(1));
    return __atomic_load_n(&is_called, __ATOMIC_RELAXED);
}
