/* SPDX-License-Identifier: BSD-2-Clause */
/* The allocator's functions, in front of the allocator. */
#ifndef LIBFXTHEAP_INTERCEPT_INTERCEPT_H
#define LIBFXTHEAP_INTERCEPT_INTERCEPT_H

#include <stdbool.h>
#include <stddef.h>

#include <fxt/compiler.h>

#include "libfxtheap/filter.h"
#include "next_allocator.h"

/* Whether the program's calls of malloc reach this library. */
bool intercept_is_first(void);

/* malloc and free as they are here, whatever a program calls by these names. */
void *intercept_malloc(size_t size);
void intercept_free(void *block);

void intercept_free_slowly(void *block);

static inline void intercept_free_block(void *block)
{
    if (FXT_LIKELY(filter_excludes(block)))
        next_allocator.free(block);
    else
        intercept_free_slowly(block);
}

#endif
