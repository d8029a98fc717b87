/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * C++'s operators new and delete. Those of a C++ library go to malloc and free and would
 * be seen there; but they would be one more frame of each stack, and code of libraries
 * that have no unwind tables would be missing. So they are here, too, in C.
 *
 * What they do where memory is used up (a new handler, an exception) is left to the
 * operators of the program's C++ library. A program that has its own operators keeps
 * them, and need not have all: those that it leaves to the C++ library call the ones that
 * it has, so that what is here leaves them to the library, too.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/compiler.h>

#include "libfxtheap/heap.h"
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

/* All operators of a kind come down to two, for an object and for an array. Of each: what
 * the dynamic loader takes for it, and what is here. */
struct kind {
    void (*bound[2])(void);
    void (*here[2])(void);
};

static const volatile struct kind news;
static const volatile struct kind aligned_news;
static const volatile struct kind deletes;
static const volatile struct kind aligned_deletes;

static bool are_programs(const volatile struct kind *kind)
{
    return kind->bound[0] != kind->here[0] || kind->bound[1] != kind->here[1];
}

#define KIND(which, object, object_name, array, array_name)                              \
    extern __typeof__(object) object##_here                                              \
        __attribute__((alias(object_name), visibility("hidden")));                       \
    extern __typeof__(array) array##_here                                                \
        __attribute__((alias(array_name), visibility("hidden")));                        \
    static const volatile struct kind which = {                                          \
        {(void (*)(void))(object), (void (*)(void))(array)},                             \
        {(void (*)(void))object##_here, (void (*)(void))array##_here}};

/* ---- new --------------------------------------------------------------------------- */

/* No two objects are at one address, however small. */
static size_t whole_size(size_t size)
{
    return size > 0 ? size : 1;
}

/* What `second` is of these, if anything, is no alignment. */
static void *allocate_block(size_t size, size_t second, const void *frame)
{
    void *block;

    (void)second;
    if (!next_allocator_find())
        return early_allocate(size);
    block = next_allocator.malloc(size);
    if (block != NULL && !heap_passes(size))
        heap_add(block, size, frame);
    return block;
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

/* Returns whether it is not to be done here, but by `*next`. */
static bool leave_new(const volatile struct kind *kind, void **known, const char *name,
                      new_function **next)
{
    void *found = are_programs(kind) ? find_other(known, name) : NULL;

    memcpy(next, &found, sizeof(found));
    return found != NULL;
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
        if (leave_new(&(kind), &known, name, &next))                                     \
            return next(size, second, third);                                            \
        block = allocate(whole_size(size), second, FRAME);                               \
        return block != NULL ? block : fail_allocation(name, size, second, third);       \
    }

NEW(news, allocate_block, new_object, "_Znwm")
NEW(news, allocate_block, new_array, "_Znam")
NEW(news, allocate_block, new_object_nothrow, "_ZnwmRKSt9nothrow_t")
NEW(news, allocate_block, new_array_nothrow, "_ZnamRKSt9nothrow_t")
KIND(news, new_object, "_Znwm", new_array, "_Znam")

NEW(aligned_news, allocate_aligned, new_object_aligned, "_ZnwmSt11align_val_t")
NEW(aligned_news, allocate_aligned, new_array_aligned, "_ZnamSt11align_val_t")
NEW(aligned_news, allocate_aligned, new_object_aligned_nothrow,
    "_ZnwmSt11align_val_tRKSt9nothrow_t")
NEW(aligned_news, allocate_aligned, new_array_aligned_nothrow,
    "_ZnamSt11align_val_tRKSt9nothrow_t")
KIND(aligned_news, new_object_aligned, "_ZnwmSt11align_val_t", new_array_aligned,
     "_ZnamSt11align_val_t")

/* ---- delete ------------------------------------------------------------------------ */

static void give_back(const volatile struct kind *kind, void **known, const char *name,
                      void *block, size_t second, size_t third)
{
    void *found = are_programs(kind) ? find_other(known, name) : NULL;
    delete_function *next;

    if (found == NULL) {
        free(block);
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
        give_back(&(kind), &known, name, block, second, third);                          \
    }

DELETE(deletes, delete_object, "_ZdlPv")
DELETE(deletes, delete_array, "_ZdaPv")
DELETE(deletes, delete_object_sized, "_ZdlPvm")
DELETE(deletes, delete_array_sized, "_ZdaPvm")
DELETE(deletes, delete_object_nothrow, "_ZdlPvRKSt9nothrow_t")
DELETE(deletes, delete_array_nothrow, "_ZdaPvRKSt9nothrow_t")
KIND(deletes, delete_object, "_ZdlPv", delete_array, "_ZdaPv")

DELETE(aligned_deletes, delete_object_aligned, "_ZdlPvSt11align_val_t")
DELETE(aligned_deletes, delete_array_aligned, "_ZdaPvSt11align_val_t")
DELETE(aligned_deletes, delete_object_sized_aligned, "_ZdlPvmSt11align_val_t")
DELETE(aligned_deletes, delete_array_sized_aligned, "_ZdaPvmSt11align_val_t")
DELETE(aligned_deletes, delete_object_aligned_nothrow,
       "_ZdlPvSt11align_val_tRKSt9nothrow_t")
DELETE(aligned_deletes, delete_array_aligned_nothrow,
       "_ZdaPvSt11align_val_tRKSt9nothrow_t")
KIND(aligned_deletes, delete_object_aligned, "_ZdlPvSt11align_val_t",
     delete_array_aligned, "_ZdaPvSt11align_val_t")
