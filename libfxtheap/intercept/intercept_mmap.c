/* SPDX-License-Identifier: BSD-2-Clause */
/* mmap and related functions, as the program calls them. The C library's own calls do not
 * come here: malloc's memory and the stacks of threads are not the program's mappings. */

/* mmap and mmap64 are two functions here, and equal where pointers have 64 bits. */
#undef _FILE_OFFSET_BITS

#include <stdarg.h>
#include <sys/mman.h>

#include <fxt/compiler.h>

#include "libfxtheap/heap.h"
#include "libfxtheap/mappings.h"

#undef mmap64

_Static_assert(sizeof(off_t) == 8, "mmap and mmap64 take the same offsets");

#define CALLED .caller = __builtin_return_address(0), .frame = HEAP_FRAME

FXT_API void *mmap(void *at, size_t size, int protection, int flags, int file,
                   off_t offset)
{
    struct mapping_call call = {CALLED,
                                .at = at,
                                .size = size,
                                .flags = flags,
                                .protection = protection,
                                .file = file,
                                .offset = offset};

    return mappings_map(&call);
}

FXT_API void *mmap64(void *at, size_t size, int protection, int flags, int file,
                     off_t offset) __attribute__((alias("mmap"), nothrow, leaf));

/* See mappings.c. */
extern void *mappings_mmap_itself(void *at, size_t size, int protection, int flags,
                                  int file, off_t offset)
    __attribute__((alias("mmap"), visibility("hidden"), nothrow, leaf));

FXT_API int munmap(void *at, size_t size)
{
    struct mapping_call call = {CALLED, .at = at, .size = size};

    return mappings_unmap(&call);
}

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

FXT_API void *mremap(void *at, size_t size, size_t new_size, int flags, ...)
{
    struct mapping_call call = {CALLED, .at = at, .size = size, .new_size = new_size,
                                .flags = flags};
    va_list more;

    va_start(more, flags);
    if ((flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) != 0)
        call.new_at = va_arg(more, void *);
    va_end(more);
    return mappings_move(&call);
}
