/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a writer's bytes may go: a FILE, and memory. */
#include <stdio.h>
#include <string.h>

#include <fxt/writer.h>

#include "libfxt/memory.h"

int fxt_file_write(void *context, const void *data, size_t size)
{
    return fwrite(data, 1, size, (FILE *)context) == size ? 0 : -1;
}

enum { SMALLEST_BUFFER = 4096 };

/* Makes room for `size` more bytes. */
static bool grow_buffer(struct fxt_buffer *buffer, size_t size)
{
    struct memory memory =
        memory_make(buffer->resize, buffer->resize_context, UINT64_MAX);
    size_t capacity = SMALLEST_BUFFER;
    unsigned char *data;

    if (buffer->fixed || size > SIZE_MAX / 2 - buffer->size)
        return false;
    while (capacity < buffer->size + size)
        capacity *= 2;
    memory.used = buffer->capacity;
    data =
        (unsigned char *)memory_resize(&memory, buffer->data, buffer->capacity, capacity);
    if (data == NULL)
        return false;
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

int fxt_buffer_write(void *context, const void *data, size_t size)
{
    struct fxt_buffer *buffer = (struct fxt_buffer *)context;

    if (size > buffer->capacity - buffer->size && !grow_buffer(buffer, size))
        return -1;
    memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
    return 0;
}
