/* SPDX-License-Identifier: BSD-2-Clause */
/* See heap_records.h. */
#include "heap_records.h"

#include <endian.h>
#include <string.h>

#include "processes/proc_read.h"

/* Readers hold a blob in memory. */
enum { BLOB_BYTES_MAX = 1 << 19 };

/* ---- Arguments --------------------------------------------------------------------- */

struct fxt_arg heap_arg_number(const char *name, uint64_t value)
{
    struct fxt_arg arg = {.name = fxt_string_from(name), .type = FXT_ARG_UINT64};

    arg.value.uint64 = value;
    return arg;
}

struct fxt_arg heap_arg_small(const char *name, uint32_t value)
{
    struct fxt_arg arg = {.name = fxt_string_from(name), .type = FXT_ARG_UINT32};

    arg.value.uint32 = value;
    return arg;
}

struct fxt_arg heap_arg_count(const char *name, uint64_t value)
{
    return value <= UINT32_MAX ? heap_arg_small(name, (uint32_t)value)
                               : heap_arg_number(name, value);
}

struct fxt_arg heap_arg_string(const char *name, const char *value)
{
    struct fxt_arg arg = {.name = fxt_string_from(name), .type = FXT_ARG_STRING};

    arg.value.string = fxt_string_from(value);
    return arg;
}

struct fxt_arg heap_arg_bool(const char *name, bool value)
{
    struct fxt_arg arg = {.name = fxt_string_from(name), .type = FXT_ARG_BOOL};

    arg.value.boolean = value;
    return arg;
}

/* ---- Processes --------------------------------------------------------------------- */

void heap_records_add_names(struct process_table *table, const struct snapshot *s)
{
    const struct table_copy *copy = &s->copy;
    pid_t process = (pid_t)copy->head.process;

    process_table_name_process(table, process, copy->head.name, 0);
    process_table_name_thread(table, process, process, copy->head.name, 0);
    for (size_t i = 0; i < copy->n_threads; i++)
        process_table_name_thread(table, process, (pid_t)copy->threads[i].thread,
                                  copy->threads[i].name, 0);
    process_table_process(table, process)->is_sampled = true;
}

void heap_records_add_maps(struct process_table *table, const struct snapshot *s,
                           size_t from)
{
    const struct text *maps = &s->copy.maps;
    struct text line = {NULL, 0, 0};

    while (from < maps->size) {
        const char *start = maps->data + from;
        const char *end = memchr(start, '\n', maps->size - from);
        size_t size = end != NULL ? (size_t)(end - start) : maps->size - from;

        line.size = 0;
        text_add(&line, start, size);
        text_char(&line, '\0');
        proc_read_maps_line(table, (pid_t)s->copy.head.process, line.data);
        from += size + 1;
    }
    text_free(&line);
}

void heap_records_mappings(struct fxt_writer *writer, struct process_table *table,
                           const struct snapshot *s)
{
    pid_t id = (pid_t)s->copy.head.process;
    struct process_entry *process = process_table_process(table, id);
    struct module_writer modules = {writer, id, s->time.monotonic_ns,
                                    process->last_module};

    process_records_mappings(&modules, table, process);
    process->last_module = modules.last_id;
}

/* ---- Blobs ------------------------------------------------------------------------- */

static void put_blob(struct blob_writer *b)
{
    struct fxt_arg args[] = {
        heap_arg_small("version", b->version),
        heap_arg_small("entry_words", b->entry_words),
        heap_arg_number("entries", b->n_entries),
        b->about,
    };
    struct fxt_record record = {.type = FXT_RECORD_LARGE, .kind = FXT_LARGE_BLOB};

    if (b->n_entries == 0)
        return;
    record.large_blob.format = FXT_LARGE_BLOB_METADATA;
    record.large_blob.timestamp = b->snapshot->time.monotonic_ns;
    record.large_blob.thread = fxt_thread_from(b->snapshot->copy.head.process, 0);
    record.large_blob.category = fxt_string_from("heap");
    record.large_blob.name = fxt_string_from(b->name);
    record.large_blob.payload = (struct fxt_bytes){b->payload.data, b->payload.size};
    record.n_args = sizeof(args) / sizeof(args[0]);
    record.args = args;
    fxt_writer_write(b->writer, &record);
    b->payload.size = 0;
    b->n_entries = 0;
}

void blob_begin(struct blob_writer *b, const char *name, uint32_t entry_words)
{
    b->name = name;
    b->entry_words = entry_words;
}

void blob_add_word(struct blob_writer *b, uint64_t word)
{
    word = htole64(word);
    text_add(&b->payload, &word, sizeof(word));
}

void blob_end_entry(struct blob_writer *b)
{
    b->n_entries++;
    if (b->payload.size >= BLOB_BYTES_MAX)
        put_blob(b);
}

void blob_end(struct blob_writer *b)
{
    put_blob(b);
}

void blob_writer_free(struct blob_writer *b)
{
    text_free(&b->payload);
}
