/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that only some allocators have: those of jemalloc that end in x, and those of
 * tcmalloc that begin with tc_. They are passed on to the allocator that has them.
 *
 * A program may find one of them here that no allocator in it has, and use it since it is
 * there: then it is done by malloc and free. That does not make programs take the
 * allocator for jemalloc, whose mallctl and nallocx they ask for, too.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/compiler.h>

#include "libfxtheap/heap.h"
#include "next_allocator.h"

#define FRAME HEAP_FRAME

/* Stores a function of the allocator, or NULL, in `next`. */
#define FIND_NEXT(next, name)                                                            \
    do {                                                                                 \
        static void *known;                                                              \
        void *found = find_next(&known, name);                                           \
                                                                                         \
        memcpy(&(next), &found, sizeof(found));                                          \
    } while (0)

/* What is missing is not looked up again. */
static void *find_next(void **known, const char *name)
{
    static const char *const libraries[] = {"libjemalloc.so.2", "libtcmalloc.so.4",
                                            "libtcmalloc_minimal.so.4", NULL};
    static char missing;
    void *found;

    if (!next_allocator_find())
        return NULL;
    found = next_allocator_other(known, name, libraries);
    if (found == NULL)
        __atomic_store_n(known, &missing, __ATOMIC_RELAXED);
    return found != &missing ? found : NULL;
}

/* ---- What they do ------------------------------------------------------------------ */

/* Such a function may have called malloc. */
static void *add_block(void *block, size_t size, const void *frame)
{
    if (block != NULL && !heap_has(block) && !heap_passes(size))
        heap_add(block, size, frame);
    return block;
}

/* Whether a block is to be freed by `next`, as most are; then it is not recorded any
 * more.
 */
static bool leave_free(const void *block, bool has_next)
{
    if (!has_next || early_has(block))
        return false;
    if (block != NULL && !filter_excludes(block))
        heap_remove(block);
    return true;
}

static struct heap_slot_v1 *begin_move(const void *old)
{
    return old != NULL ? heap_begin_move(old) : NULL;
}

/* Such a function may have called realloc. */
static void *end_move(struct heap_slot_v1 *slot, const void *old, void *block,
                      size_t size, const void *frame)
{
    bool was_seen = slot != NULL ? !heap_is_moving(slot, old) : heap_has(block);

    if (was_seen)
        return block;
    if (block == NULL)
        heap_keep(slot);
    else
        heap_move(slot, old, block, size, frame);
    return block;
}

/* ---- jemalloc ---------------------------------------------------------------------- */

/* The flags that matter without jemalloc. */
enum { FLAG_LG_ALIGN = 0x3f, FLAG_ZERO = 0x40 };

/* Malloc's. */
enum { LG_ALIGN_MIN = 4 };

FXT_API void *mallocx(size_t size, int flags);
FXT_API void *rallocx(void *old, size_t size, int flags);
FXT_API size_t xallocx(void *block, size_t size, size_t extra, int flags);
FXT_API void dallocx(void *block, int flags);
FXT_API void sdallocx(void *block, size_t size, int flags);

static void *allocate_as_flagged(size_t size, int flags)
{
    void *block = NULL;

    if ((flags & FLAG_LG_ALIGN) <= LG_ALIGN_MIN)
        return (flags & FLAG_ZERO) != 0 ? calloc(1, size) : malloc(size);
    if (posix_memalign(&block, (size_t)1 << (flags & FLAG_LG_ALIGN), size) != 0)
        return NULL;
    if ((flags & FLAG_ZERO) != 0)
        memset(block, 0, size);
    return block;
}

static void *move_as_flagged(void *old, size_t size, int flags)
{
    size_t old_size = malloc_usable_size(old);
    void *block = allocate_as_flagged(size, flags);

    if (block == NULL)
        return NULL;
    memcpy(block, old, old_size < size ? old_size : size);
    free(old);
    return block;
}

FXT_API void *mallocx(size_t size, int flags)
{
    __typeof__(mallocx) *next;

    FIND_NEXT(next, "mallocx");
    if (next == NULL)
        return allocate_as_flagged(size, flags);
    return add_block(next(size, flags), size, FRAME);
}

FXT_API void *rallocx(void *old, size_t size, int flags)
{
    struct heap_slot_v1 *slot;
    __typeof__(rallocx) *next;

    FIND_NEXT(next, "rallocx");
    if (next == NULL || early_has(old))
        return move_as_flagged(old, size, flags);
    slot = begin_move(old);
    return end_move(slot, old, next(old, size, flags), size, FRAME);
}

/* Returns what size the block has then; less than `size` is none of the sizes that were
 * asked for, and the block is as it was. */
FXT_API size_t xallocx(void *block, size_t size, size_t extra, int flags)
{
    struct heap_slot_v1 *slot;
    __typeof__(xallocx) *next;
    size_t made;

    FIND_NEXT(next, "xallocx");
    if (next == NULL || early_has(block))
        return malloc_usable_size(block);
    slot = begin_move(block);
    made = next(block, size, extra, flags);
    if (slot != NULL)
        end_move(slot, block, made >= size ? block : NULL, size, FRAME);
    return made;
}

FXT_API void dallocx(void *block, int flags)
{
    __typeof__(dallocx) *next;

    FIND_NEXT(next, "dallocx");
    if (leave_free(block, next != NULL))
        next(block, flags);
    else
        free(block);
}

FXT_API void sdallocx(void *block, size_t size, int flags)
{
    __typeof__(sdallocx) *next;

    FIND_NEXT(next, "sdallocx");
    if (leave_free(block, next != NULL))
        next(block, size, flags);
    else
        free(block);
}

/* ---- tcmalloc ---------------------------------------------------------------------- */

/* The second argument of those that have one does no harm to the others. */
#define ALLOCATE(function, otherwise)                                                    \
    FXT_API void *function(size_t size, size_t second);                                  \
    void *function(size_t size, size_t second)                                           \
    {                                                                                    \
        __typeof__(function) *next;                                                      \
                                                                                         \
        FIND_NEXT(next, #function);                                                      \
        return next != NULL ? add_block(next(size, second), size, FRAME)                 \
                            : otherwise(size);                                           \
    }

#define FREE(function)                                                                   \
    FXT_API void function(void *block, size_t second);                                   \
    void function(void *block, size_t second)                                            \
    {                                                                                    \
        __typeof__(function) *next;                                                      \
                                                                                         \
        FIND_NEXT(next, #function);                                                      \
        if (leave_free(block, next != NULL))                                             \
            next(block, second);                                                         \
        else                                                                             \
            free(block);                                                                 \
    }

ALLOCATE(tc_malloc, malloc)
ALLOCATE(tc_malloc_skip_new_handler, malloc)
ALLOCATE(tc_new, malloc)
ALLOCATE(tc_new_nothrow, malloc)
ALLOCATE(tc_newarray, malloc)
ALLOCATE(tc_newarray_nothrow, malloc)
ALLOCATE(tc_valloc, valloc)
ALLOCATE(tc_pvalloc, valloc)

FREE(tc_free)
FREE(tc_cfree)
FREE(tc_free_sized)
FREE(tc_delete)
FREE(tc_delete_nothrow)
FREE(tc_delete_sized)
FREE(tc_deletearray)
FREE(tc_deletearray_nothrow)
FREE(tc_deletearray_sized)

FXT_API void *tc_calloc(size_t n, size_t size);
FXT_API void *tc_realloc(void *old, size_t size);
FXT_API void *tc_memalign(size_t alignment, size_t size);
FXT_API int tc_posix_memalign(void **block, size_t alignment, size_t size);

FXT_API void *tc_calloc(size_t n, size_t size)
{
    __typeof__(tc_calloc) *next;

    FIND_NEXT(next, "tc_calloc");
    return next != NULL ? add_block(next(n, size), n * size, FRAME) : calloc(n, size);
}

FXT_API void *tc_realloc(void *old, size_t size)
{
    struct heap_slot_v1 *slot;
    __typeof__(tc_realloc) *next;
    void *block;

    FIND_NEXT(next, "tc_realloc");
    if (next == NULL || early_has(old))
        return realloc(old, size);
    slot = begin_move(old);
    block = next(old, size);
    if (block == NULL && size == 0 && slot != NULL && heap_is_moving(slot, old))
        heap_forget(slot, old);
    else
        end_move(slot, old, block, size, FRAME);
    return block;
}

FXT_API void *tc_memalign(size_t alignment, size_t size)
{
    __typeof__(tc_memalign) *next;

    FIND_NEXT(next, "tc_memalign");
    return next != NULL ? add_block(next(alignment, size), size, FRAME)
                        : memalign(alignment, size);
}

FXT_API int tc_posix_memalign(void **block, size_t alignment, size_t size)
{
    __typeof__(tc_posix_memalign) *next;
    int error;

    FIND_NEXT(next, "tc_posix_memalign");
    if (next == NULL)
        return posix_memalign(block, alignment, size);
    error = next(block, alignment, size);
    if (error == 0)
        add_block(*block, size, FRAME);
    return error;
}
