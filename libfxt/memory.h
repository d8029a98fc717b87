/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Allocates libfxt's memory, with a limit on what one object may hold. The C library is
 * named only in memory.c.
 */
#ifndef LIBFXT_MEMORY_H
#define LIBFXT_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include <fxt/common.h>

struct memory {
    fxt_resize_fn *resize;
    void *context;
    uint64_t used;
    uint64_t limit;
    /* Why memory was last refused: FXT_E_KEPT_LIMIT or FXT_E_NO_MEMORY. */
    enum fxt_code refusal;
};

/* `resize` may be NULL, for the C library's. */
struct memory memory_make(fxt_resize_fn *resize, void *context, uint64_t limit);

/* As fxt_resize_fn; NULL also where the limit would be passed. New bytes are not cleared.
 */
void *memory_resize(struct memory *memory, void *old, size_t old_size, size_t size);

/* `size` bytes of zeros, or NULL. */
void *memory_zeroed(struct memory *memory, size_t size);

void memory_free(struct memory *memory, void *old, size_t old_size);

#endif
