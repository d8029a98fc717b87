/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_file.h. */
#include "unwind_file.h"

#include "common/base/memory.h"
#include "unwind_parts.h"

static void *allocate(void *context, size_t size)
{
    (void)context;
    return memory_reserve(size);
}

static void release(void *context, void *memory, size_t size)
{
    (void)context;
    (void)size;
    memory_release(memory);
}

const struct unwind_allocator unwind_base_allocator = {allocate, release, NULL};

static enum unwind_code build(struct unwind_table *table, struct unwind_parts *parts,
                              const struct unwind_allocator *allocator, struct text *why)
{
    bool is_empty = parts->source.eh_frame.size == 0 && parts->source.go.size == 0;
    enum unwind_code code = UNWIND_E_COMPRESSION;

    if (!is_empty || !parts->is_compression_bad)
        code = unwind_table_build(table, &parts->source, allocator);
    if (code == UNWIND_OK)
        table->n_refused += parts->is_compression_bad;
    else
        text_str(why, unwind_code_message(code));
    return code;
}

enum unwind_code unwind_file_read(struct unwind_table *table, struct file *file,
                                  const struct unwind_allocator *allocator,
                                  struct text *why)
{
    return unwind_file_read_range(table, file, NULL, allocator, why);
}

enum unwind_code unwind_file_read_range(struct unwind_table *table, struct file *file,
                                        const struct unwind_range *range,
                                        const struct unwind_allocator *allocator,
                                        struct text *why)
{
    struct text ignored = {NULL, 0, 0};
    struct unwind_parts parts = {.eh_frame = NULL};
    enum unwind_code code;

    if (!why)
        why = &ignored;
    *table = (struct unwind_table){0};
    code = unwind_parts_read(&parts, file, why);
    if (range)
        parts.source.code = *range;
    if (code == UNWIND_OK)
        code = build(table, &parts, allocator, why);
    unwind_parts_free(&parts);
    text_free(&ignored);
    return code;
}
