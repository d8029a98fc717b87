/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * C++'s operators new and delete. Those of a C++ library go to malloc and free and would
 * be seen there; but they would be one more frame of each stack, and code of libraries
 * that have no unwind tables would be missing. So they are here, too, in C.
 *
 * What they do where memory is used up (a new handler, an exception) is left to the
 * operators of the program's C++ library. A program that has its own operators keeps
 * them, and need not have all: those that it leaves to the C++ library call the ones that
 * it has, so that what is here leaves them to the library, too. So it does where malloc
 * and free are the program's own, which the library's operators call.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/compiler.h>

#include "libfxtheap/heap.h"
#include "intercept.h"
#include "next_allocator.h"

#define FRAME HEAP_FRAME

/* ---- The program's C++ library ----------------------------------------------------- */

/* Each operator, whatever it takes: what it does not take does no harm in a register. */
typedef void *new_function(size_t size, size_t second, size_t third);
typedef void delete_function(void *block, size_t second, size_t third);

static void *find_other(void **known, const char *name)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++.so.1", NULL};

    return next_allocator_other(known, name, libraries);
}

static FXT_NOINLINE void *fail_allocation(const char *name, size_t size, size_t second,
                                          size_t third)
{
    void *known = NULL;
    void *found = find_other(&known, name);
    new_function *next;

    if (found == NULL)
        abort();
    memcpy(&next, &found, sizeof(next));
    return next(size, second, third);
}

/* ---- The program's own operators --------------------------------------------------- */

/* All operators of a kind come down to two, for an object and for an array, and to malloc
 * or free. Of each: what the dynamic loader takes for it, and what is here. */
struct kind {
    void (*volatile bound[3])(void);
    void (*volatile here[3])(void);
    /* All of them are found to be here. */
    bool is_here;
};

static struct kind news;
static struct kind aligned_news;
static struct kind deletes;
static struct kind aligned_deletes;

static FXT_NOINLINE bool find_here(struct kind *kind)
{
    for (int i = 0; i < 3; i++) {
        if (kind->bound[i] != kind->here[i])
            return false;
    }
    __atomic_store_n(&kind->is_here, true, __ATOMIC_RELAXED);
    return true;
}

static inline bool are_here(struct kind *kind)
{
    return FXT_LIKELY(__atomic_load_n(&kind->is_here, __ATOMIC_RELAXED)) ||
           find_here(kind);
}

#define FUNCTION(function) ((void (*)(void))(function))

#define KIND(which, object, object_name, array, array_name, allocator)                   \
    extern __typeof__(object) object##_here                                              \
        __attribute__((alias(object_name), visibility("hidden")));                       \
    extern __typeof__(array) array##_here                                                \
        __attribute__((alias(array_name), visibility("hidden")));                        \
    static struct kind which = {                                                         \
        {FUNCTION(object), FUNCTION(array), FUNCTION(allocator)},                        \
        {FUNCTION(object##_here), FUNCTION(array##_here),                                \
         FUNCTION(intercept_##allocator)},                                               \
        false};

/* ---- new --------------------------------------------------------------------------- */

/* No two objects are at one address, however small. */
static size_t whole_size(size_t size)
{
    return size > 0 ? size : 1;
}

static FXT_NOINLINE void *allocate_slowly(size_t size, const void *frame)
{
    void *block;

    if (!next_allocator_find())
        return early_allocate(size);
    block = next_allocator.malloc(size);
    if (block != NULL)
        heap_add(block, size, frame);
    return block;
}

/* What `second` is of these, if anything, is no alignment. */
static inline void *allocate_block(size_t size, size_t second, const void *frame)
{
    (void)second;
    if (FXT_LIKELY(heap_passes(size)))
        return next_allocator.malloc(size);
    return allocate_slowly(size, frame);
}

static void *allocate_aligned(size_t size, size_t alignment, const void *frame)
{
    void *block;

    if (alignment < sizeof(void *))
        alignment = sizeof(void *);
    if (!next_allocator_find() || next_allocator.posix_memalign == NULL ||
        next_allocator.posix_memalign(&block, alignment, size) != 0)
        return NULL;
    if (!heap_passes(size))
        heap_add(block, size, frame);
    return block;
}

/* What is to be done elsewhere; NULL if nothing is there. */
static FXT_NOINLINE new_function *find_new(void **known, const char *name)
{
    void *found = find_other(known, name);
    new_function *next;

    memcpy(&next, &found, sizeof(next));
    return next;
}

/* By the names that the compiler gives them where size_t is `unsigned long`. */
#define NEW(kind, allocate, function, name)                                              \
    FXT_API void *function(size_t size, size_t second, size_t third) __asm__(name);      \
    void *function(size_t size, size_t second, size_t third)                             \
    {                                                                                    \
        static void *known;                                                              \
        new_function *next;                                                              \
        void *block;                                                                     \
                                                                                         \
        if (!are_here(&(kind)) && (next = find_new(&known, name)) != NULL)               \
            return next(size, second, third);                                            \
        block = allocate(whole_size(size), second, FRAME);                               \
        if (FXT_LIKELY(block != NULL))                                                   \
            return block;                                                                \
        return fail_allocation(name, size, second, third);                               \
    }

NEW(news, allocate_block, new_object, "_Znwm")
NEW(news, allocate_block, new_array, "_Znam")
NEW(news, allocate_block, new_object_nothrow, "_ZnwmRKSt9nothrow_t")
NEW(news, allocate_block, new_array_nothrow, "_ZnamRKSt9nothrow_t")
KIND(news, new_object, "_Znwm", new_array, "_Znam", malloc)

NEW(aligned_news, allocate_aligned, new_object_aligned, "_ZnwmSt11align_val_t")
NEW(aligned_news, allocate_aligned, new_array_aligned, "_ZnamSt11align_val_t")
NEW(aligned_news, allocate_aligned, new_object_aligned_nothrow,
    "_ZnwmSt11align_val_tRKSt9nothrow_t")
NEW(aligned_news, allocate_aligned, new_array_aligned_nothrow,
    "_ZnamSt11align_val_tRKSt9nothrow_t")
KIND(aligned_news, new_object_aligned, "_ZnwmSt11align_val_t", new_array_aligned,
     "_ZnamSt11align_val_t", malloc)

/* ---- delete ------------------------------------------------------------------------ */

static FXT_NOINLINE void delete_elsewhere(void **known, const char *name, void *block,
                                          size_t second, size_t third)
{
    void *found = find_other(known, name);
    delete_function *next;

    if (found == NULL) {
        intercept_free_block(block);
        return;
    }
    memcpy(&next, &found, sizeof(next));
    next(block, second, third);
}

#define DELETE(kind, function, name)                                                     \
    FXT_API void function(void *block, size_t second, size_t third) __asm__(name);       \
    void function(void *block, size_t second, size_t third)                              \
    {                                                                                    \
        static void *known;                                                              \
                                                                                         \
        if (are_here(&(kind)))                                                           \
            intercept_free_block(block);                                                 \
        else                                                                             \
            delete_elsewhere(&known, name, block, second, third);                        \
    }

DELETE(deletes, delete_object, "_ZdlPv")
DELETE(deletes, delete_array, "_ZdaPv")
DELETE(deletes, delete_object_sized, "_ZdlPvm")
DELETE(deletes, delete_array_sized, "_ZdaPvm")
DELETE(deletes, delete_object_nothrow, "_ZdlPvRKSt9nothrow_t")
DELETE(deletes, delete_array_nothrow, "_ZdaPvRKSt9nothrow_t")
KIND(deletes, delete_object, "_ZdlPv", delete_array, "_ZdaPv", free)

DELETE(aligned_deletes, delete_object_aligned, "_ZdlPvSt11align_val_t")
DELETE(aligned_deletes, delete_array_aligned, "_ZdaPvSt11align_val_t")
DELETE(aligned_deletes, delete_object_sized_aligned, "_ZdlPvmSt11align_val_t")
DELETE(aligned_deletes, delete_array_sized_aligned, "_ZdaPvmSt11align_val_t")
DELETE(aligned_deletes, delete_object_aligned_nothrow,
       "_ZdlPvSt11align_val_tRKSt9nothrow_t")
DELETE(aligned_deletes, delete_array_aligned_nothrow,
       "_ZdaPvSt11align_val_tRKSt9nothrow_t")
KIND(aligned_deletes, delete_object_aligned, "_ZdlPvSt11align_val_t",
     delete_array_aligned, "_ZdaPvSt11align_val_t", free)
