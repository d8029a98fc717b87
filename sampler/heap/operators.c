/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * C++'s operators new and delete. Those of a C++ library go to malloc and free and would
 * be seen there; but such libraries are built without frame pointers, and a function that
 * calls one would be missing from its stack. So they are here, too, in C.
 *
 * What they do where memory is used up (a new handler, an exception) is left to the
 * operators of the program's C++ library. A program that has its own operators keeps
 * them.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/compiler.h>

#include "heap.h"
#include "real.h"

#define FRAME __builtin_frame_address(0)

/* ---- The program's C++ library ----------------------------------------------------- */

/* Each operator new, whatever it takes: what it does not take does no harm in a
 * register. */
typedef void *new_function(size_t size, size_t second, size_t third);

/* A library that was loaded with a module of its own is not among those that come next.
 */
static void *find_next(const char *name)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++.so.1"};
    void *found = dlsym(RTLD_NEXT, name);

    for (int i = 0; i < 2 && found == NULL; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);

        if (library != NULL)
            found = dlsym(library, name);
    }
    return found;
}

static FXT_NOINLINE void *fail(const char *name, size_t size, size_t second, size_t third)
{
    void *found = find_next(name);
    new_function *next;

    if (found == NULL)
        abort();
    memcpy(&next, &found, sizeof(next));
    return next(size, second, third);
}

/* ---- new --------------------------------------------------------------------------- */

/* No two objects are at one address, however small. */
static size_t whole_size(size_t size)
{
    return size > 0 ? size : 1;
}

static void *allocate(size_t size, const void *frame)
{
    void *block;

    if (!real_find())
        return early_allocate(size);
    block = real.malloc(size);
    if (block != NULL && !heap_passes(size))
        heap_add(block, size, frame);
    return block;
}

static void *allocate_aligned(size_t size, size_t alignment, const void *frame)
{
    void *block;

    if (alignment < sizeof(void *))
        alignment = sizeof(void *);
    if (!real_find() || real.posix_memalign == NULL ||
        real.posix_memalign(&block, alignment, size) != 0)
        return NULL;
    if (!heap_passes(size))
        heap_add(block, size, frame);
    return block;
}

/* By the names that the compiler gives them where size_t is `unsigned long`. */
#define NEW(function, name)                                                              \
    FXT_API void *function(size_t size, size_t second) __asm__(name);                    \
    void *function(size_t size, size_t second)                                           \
    {                                                                                    \
        void *block = allocate(whole_size(size), FRAME);                                 \
                                                                                         \
        return block != NULL ? block : fail(name, size, second, 0);                      \
    }

#define NEW_ALIGNED(function, name)                                                      \
    FXT_API void *function(size_t size, size_t alignment, size_t third) __asm__(name);   \
    void *function(size_t size, size_t alignment, size_t third)                          \
    {                                                                                    \
        void *block = allocate_aligned(whole_size(size), alignment, FRAME);              \
                                                                                         \
        return block != NULL ? block : fail(name, size, alignment, third);               \
    }

NEW(new_object, "_Znwm")
NEW(new_array, "_Znam")
NEW(new_object_nothrow, "_ZnwmRKSt9nothrow_t")
NEW(new_array_nothrow, "_ZnamRKSt9nothrow_t")
NEW_ALIGNED(new_object_aligned, "_ZnwmSt11align_val_t")
NEW_ALIGNED(new_array_aligned, "_ZnamSt11align_val_t")
NEW_ALIGNED(new_object_aligned_nothrow, "_ZnwmSt11align_val_tRKSt9nothrow_t")
NEW_ALIGNED(new_array_aligned_nothrow, "_ZnamSt11align_val_tRKSt9nothrow_t")

/* ---- delete ------------------------------------------------------------------------ */

#define DELETE(function, name)                                                           \
    FXT_API void function(void *block) __asm__(name);                                    \
    void function(void *block)                                                           \
    {                                                                                    \
        free(block);                                                                     \
    }

DELETE(delete_object, "_ZdlPv")
DELETE(delete_array, "_ZdaPv")
DELETE(delete_object_sized, "_ZdlPvm")
DELETE(delete_array_sized, "_ZdaPvm")
DELETE(delete_object_nothrow, "_ZdlPvRKSt9nothrow_t")
DELETE(delete_array_nothrow, "_ZdaPvRKSt9nothrow_t")
DELETE(delete_object_aligned, "_ZdlPvSt11align_val_t")
DELETE(delete_array_aligned, "_ZdaPvSt11align_val_t")
DELETE(delete_object_sized_aligned, "_ZdlPvmSt11align_val_t")
DELETE(delete_array_sized_aligned, "_ZdaPvmSt11align_val_t")
DELETE(delete_object_aligned_nothrow, "_ZdlPvSt11align_val_tRKSt9nothrow_t")
DELETE(delete_array_aligned_nothrow, "_ZdaPvSt11align_val_tRKSt9nothrow_t")
