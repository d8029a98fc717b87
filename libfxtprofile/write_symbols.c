/* SPDX-License-Identifier: BSD-2-Clause */
/* See fxt/profile_write.h. */
#include <fxt/writer.h>

#include "builder.h"
#include "libfxtprofile/output/line_records.h"

enum { VERSION = 1 };

struct symbol_writing {
    const struct profile *profile;
    enum fxt_byte_order byte_order;
    uint64_t timestamp;
    struct line_records records;
};

static void make_records(void *context)
{
    struct symbol_writing *w = (struct symbol_writing *)context;

    line_records_make(&w->records, w->profile);
}

static struct fxt_string string_at(const struct string_table *strings, uint32_t number)
{
    struct string string = {"", 0};

    if (number != UINT32_MAX)
        string = string_table_get(strings, number);
    return (struct fxt_string){
        string.data, string.size < UINT32_MAX ? (uint32_t)string.size : UINT32_MAX, 0};
}

static enum fxt_code write_record(struct fxt_writer *writer,
                                  const struct symbol_writing *w,
                                  const struct line_record *from)
{
    const struct profile *p = w->profile;
    struct fxt_arg args[] = {
        {.name = fxt_string_from("version"), .type = FXT_ARG_UINT32},
        {.name = fxt_string_from("entry_words"), .type = FXT_ARG_UINT32},
        {.name = fxt_string_from("entries"), .type = FXT_ARG_UINT64},
        {.name = fxt_string_from("module"), .type = FXT_ARG_STRING},
        {.name = fxt_string_from("build_id"), .type = FXT_ARG_STRING},
    };
    struct fxt_record record = {.type = FXT_RECORD_LARGE, .kind = FXT_LARGE_BLOB};

    args[0].value.uint32 = VERSION;
    args[1].value.uint32 = FILE_LINES_WORDS;
    args[2].value.uint64 = from->n_entries;
    args[3].value.string = string_at(&p->files, from->file);
    args[4].value.string = string_at(&p->build_ids, from->build_id);
    record.large_blob.format = FXT_LARGE_BLOB_METADATA;
    record.large_blob.timestamp = w->timestamp;
    record.large_blob.category = fxt_string_from("symbols");
    record.large_blob.name = fxt_string_from("lines");
    record.large_blob.payload =
        (struct fxt_bytes){from->payload.data, from->payload.size};
    record.args = args;
    record.n_args = sizeof(args) / sizeof(args[0]);
    return fxt_writer_write(writer, &record);
}

/* Everything is inline, since it is not known what tables the records come after. */
static enum fxt_code write_records(const struct symbol_writing *w, fxt_write_fn *write,
                                   void *context)
{
    struct fxt_writer_options options = {.size = sizeof(options),
                                         .write = write,
                                         .context = context,
                                         .byte_order = w->byte_order,
                                         .strings = FXT_REFERENCES_IN_LINE,
                                         .threads = FXT_REFERENCES_IN_LINE};
    struct fxt_writer *writer;
    enum fxt_code code = fxt_writer_create(&options, &writer);

    for (size_t i = 0; i < w->records.n && code == FXT_OK; i++)
        code = write_record(writer, w, &w->records.all[i]);
    if (code == FXT_OK)
        code = fxt_writer_finish(writer);
    fxt_writer_destroy(writer);
    return code;
}

enum fxt_code fxt_profile_write_symbols(const struct fxt_profile *profile,
                                        enum fxt_byte_order byte_order,
                                        uint64_t timestamp, fxt_write_fn *write,
                                        void *context)
{
    struct symbol_writing w = {.profile = &profile->pipeline.profile,
                               .byte_order = byte_order,
                               .timestamp = timestamp};
    struct memory_pool pool;
    enum fxt_code code = FXT_E_NO_MEMORY;

    if (write == NULL)
        return FXT_E_INVALID;
    memory_pool_start(&pool, 0);
    if (memory_run(&pool, make_records, &w) == NULL)
        code = write_records(&w, write, context);
    memory_pool_end(&pool);
    return code;
}
