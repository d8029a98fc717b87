/* SPDX-License-Identifier: BSD-2-Clause */
/* See heap_records.h. */
#include "heap_records.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "common/processes/proc_read.h"

enum { RECORDING_VERSION = 1 };

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

/* ---- Events ------------------------------------------------------------------------ */

void heap_records_event(struct fxt_writer *writer, const struct snapshot *s,
                        const struct heap_event *event)
{
    uint64_t process = s->copy.head.process;
    struct fxt_record record = {.type = FXT_RECORD_EVENT, .kind = event->kind};

    record.event.timestamp = s->time.monotonic_ns;
    record.event.thread = fxt_thread_from(process, process);
    record.event.category = fxt_string_from("heap");
    record.event.name = fxt_string_from(event->name);
    record.n_args = event->n_args;
    record.args = event->args;
    fxt_writer_write(writer, &record);
}

void heap_records_recording(struct fxt_writer *writer, const struct snapshot *s,
                            uint64_t point)
{
    const struct table_copy *copy = &s->copy;
    uint64_t until_ns = s->recorded_until_ns;
    uint64_t resized = 0;
    uint64_t moved = 0;
    struct fxt_arg args[6] = {heap_arg_small("version", RECORDING_VERSION)};
    uint32_t n = 1;

    for (size_t i = 0; i < copy->n_stacks; i++) {
        resized += copy->stacks[i].n_resized;
        moved += copy->stacks[i].n_moved;
    }
    if (until_ns >= copy->head.monotonic_ns) {
        args[n++] = heap_arg_number("from_ns", copy->head.monotonic_ns);
        args[n++] = heap_arg_number("until_ns", until_ns);
    }
    if (copy->head.has_counts) {
        args[n++] = heap_arg_number("reallocs_in_place", resized);
        args[n++] = heap_arg_number("reallocs_moved", moved);
    }
    if (n == 1)
        return;
    if (point > 0)
        args[n++] = heap_arg_count("point", point);
    heap_records_event(writer, s,
                       &(struct heap_event){FXT_EVENT_INSTANT, "recording", args, n});
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

/* The time of the first view, if there is another one; else 0. */
static uint64_t first_view(const struct table_copy *copy)
{
    const struct text *maps = &copy->maps;

    return maps->size > 0 && memmem(maps->data, maps->size, "\n@", 2) != NULL
               ? copy->head.monotonic_ns
               : 0;
}

static void add_line(struct process_table *table, pid_t process, char *line,
                     uint64_t since_ns)
{
    struct file_mapping mapping = {.process = process};

    if (!proc_read_parse_mapping(line, &mapping))
        return;
    mapping.since_ns = since_ns;
    process_table_map(table, &mapping);
}

void heap_records_add_maps(struct process_table *table, const struct snapshot *s,
                           size_t from)
{
    const struct text *maps = &s->copy.maps;
    struct text line = {NULL, 0, 0};
    uint64_t since_ns = first_view(&s->copy);

    for (size_t at = 0; at < maps->size; at += line.size) {
        const char *start = maps->data + at;
        const char *end = memchr(start, '\n', maps->size - at);

        line.size = 0;
        text_add(&line, start, end != NULL ? (size_t)(end - start) : maps->size - at);
        text_char(&line, '\0');
        if (line.data[0] == '@')
            since_ns = strtoull(line.data + 1, NULL, 10);
        else if (at >= from)
            add_line(table, (pid_t)s->copy.head.process, line.data, since_ns);
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

void blob_begin_states(struct blob_writer *b)
{
    blob_begin(b, "stack_states", 3);
    b->first_view_ns = first_view(&b->snapshot->copy);
}

void blob_add_state(struct blob_writer *b, uint64_t number,
                    const struct table_stack *stack)
{
    uint64_t view_ns = stack->view_ns > 0 ? stack->view_ns : b->first_view_ns;

    if (view_ns == 0 && stack->end == 0)
        return;
    blob_add_word(b, number);
    blob_add_word(b, view_ns);
    blob_add_word(b, stack->end);
    blob_end_entry(b);
}
