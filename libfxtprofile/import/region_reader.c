/* SPDX-License-Identifier: BSD-2-Clause */
/* See region_reader.h. */
#include "region_reader.h"

#include "common/base/memory.h"

/* What the reader keeps counts as all memory does, and is freed with it. */
static void *resize_reader_memory(void *context, void *old, size_t old_size, size_t size)
{
    (void)context;
    (void)old_size;
    if (size > 0)
        return memory_reallocate(old, size);
    memory_release(old);
    return NULL;
}

struct fxt_reader *regions_reader(const struct import_settings *o, enum fxt_stream stream,
                                  fxt_record_fn *on_record, fxt_error_fn *on_error,
                                  void *context)
{
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_record = on_record,
        .on_error = on_error,
        .context = context,
        .stream = stream,
        .byte_order = o->byte_order,
        .resync = o->resync,
        .ticks_per_second = o->ticks_per_second,
        .resize = resize_reader_memory,
    };
    struct fxt_reader *reader;

    /* The options are possible, so that only memory can be missing, and for that
     * memory_allocate has the words. */
    if (fxt_reader_create(&options, &reader) != FXT_OK)
        memory_allocate(SIZE_MAX);
    return reader;
}
