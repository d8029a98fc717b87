/* SPDX-License-Identifier: BSD-2-Clause */
/* An allocator that counts, and fails on request. */
#ifndef TESTS_LIBFXT_HEAP_H
#define TESTS_LIBFXT_HEAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct heap {
    uint64_t n_calls;
    uint64_t n_bytes;
    uint64_t most_bytes;
    /* Of the first call. */
    uint64_t first_bytes;
    /* From this call on there is no memory, or in this call alone. */
    uint64_t fail_at;
    bool fail_on;
};

/* A fxt_resize_fn; `context` is a struct heap. */
static inline void *heap_resize(void *context, void *old, size_t old_size, size_t size)
{
    struct heap *heap = (struct heap *)context;
    void *new;

    if (size == 0) {
        if (old == NULL && old_size > 0)
            abort();
        heap->n_bytes -= old_size;
        free(old);
        return NULL;
    }
    heap->n_calls++;
    if (heap->n_calls == heap->fail_at ||
        (heap->fail_on && heap->n_calls > heap->fail_at))
        return NULL;
    /* Always at another place, so that a sanitizer sees the use of the old one. */
    new = malloc(size);
    if (new == NULL)
        abort();
    memset(new, 0xa5, size);
    if (old != NULL)
        memcpy(new, old, old_size < size ? old_size : size);
    free(old);
    heap->n_bytes += size - old_size;
    if (heap->n_calls == 1)
        heap->first_bytes = size;
    if (heap->n_bytes > heap->most_bytes)
        heap->most_bytes = heap->n_bytes;
    return new;
}

#endif
