/* SPDX-License-Identifier: BSD-2-Clause */
/* See memory.h. */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

static void *resize_with_libc(void *context, void *old, size_t old_size, size_t size)
{
    (void)context;
    (void)old_size;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return realloc(old, size);
}

struct memory memory_make(fxt_resize_fn *resize, void *context, uint64_t limit)
{
    return (struct memory){
        .resize = resize != NULL ? resize : resize_with_libc,
        .context = context,
        .used = 0,
        .limit = limit,
    };
}

void *memory_resize(struct memory *memory, void *old, size_t old_size, size_t size)
{
    void *new;

    if (size > memory->limit - (memory->used - old_size)) {
        memory->refusal = FXT_E_KEPT_LIMIT;
        return NULL;
    }
    new = memory->resize(memory->context, old, old_size, size);
    if (new != NULL)
        memory->used = memory->used - old_size + size;
    else
        memory->refusal = FXT_E_NO_MEMORY;
    return new;
}

void *memory_zeroed(struct memory *memory, size_t size)
{
    void *new = memory_resize(memory, NULL, 0, size);

    if (new != NULL)
        memset(new, 0, size);
    return new;
}

void memory_free(struct memory *memory, void *old, size_t old_size)
{
    if (old == NULL)
        return;
    memory->resize(memory->context, old, old_size, 0);
    memory->used -= old_size;
}
