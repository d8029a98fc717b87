/* SPDX-License-Identifier: BSD-2-Clause */
/* See archive.h. */
#include "archive.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/fxt.h>

#include "base/io/output.h"
#include "processes/proc_read.h"
#include "table_sort.h"

enum { RECORDS_VERSION = 1, OWN_PROVIDER = 1 };

/* Readers hold a blob in memory. */
enum { BLOB_WORDS_MAX = 1 << 16 };

struct archive {
    struct fxt_writer *writer;
    struct output *output;
    struct process_table table;
    bool with_tags;
    /* The snapshot that is being written. */
    const struct snapshot *snapshot;
    /* The payload of the next blob, and how many entries it has. */
    struct text payload;
    uint64_t n_entries;
};

/* ---- Processes --------------------------------------------------------------------- */

static void add_lines(struct process_table *table, pid_t process, const struct text *maps)
{
    struct text line = {NULL, 0, 0};
    size_t at = 0;

    while (at < maps->size) {
        const char *end = memchr(maps->data + at, '\n', maps->size - at);
        size_t size = end != NULL ? (size_t)(end - maps->data) - at : maps->size - at;

        line.size = 0;
        text_add(&line, maps->data + at, size);
        text_char(&line, '\0');
        proc_read_maps_line(table, process, line.data);
        at += size + 1;
    }
    text_free(&line);
}

/* The heap's table has what is known of a process that has ended; one that still runs may
 * have new names by now. */
static void add_process(struct archive *a, const struct snapshot *s)
{
    const struct table_copy *copy = &s->copy;
    pid_t process = (pid_t)copy->head.process;

    process_table_name_process(&a->table, process, copy->head.name, 0);
    process_table_name_thread(&a->table, process, process, copy->head.name, 0);
    for (size_t i = 0; i < copy->n_threads; i++)
        process_table_name_thread(&a->table, process, (pid_t)copy->threads[i].thread,
                                  copy->threads[i].name, 0);
    add_lines(&a->table, process, &copy->maps);
    if (s->was_running)
        proc_read_process(&a->table, process);
    process_table_process(&a->table, process)->is_sampled = true;
    for (size_t i = 0; a->with_tags && i < copy->n_blocks; i++)
        process_table_thread(&a->table, (pid_t)copy->blocks[i].thread)->is_sampled = true;
}

/* ---- The event --------------------------------------------------------------------- */

static struct fxt_arg make_number(const char *name, uint64_t value)
{
    struct fxt_arg arg = {.name = fxt_string_from(name), .type = FXT_ARG_UINT64};

    arg.value.uint64 = value;
    return arg;
}

static struct fxt_arg make_small(const char *name, uint32_t value)
{
    struct fxt_arg arg = {.name = fxt_string_from(name), .type = FXT_ARG_UINT32};

    arg.value.uint32 = value;
    return arg;
}

static struct fxt_arg make_string(const char *name, const char *value)
{
    struct fxt_arg arg = {.name = fxt_string_from(name), .type = FXT_ARG_STRING};

    arg.value.string = fxt_string_from(value);
    return arg;
}

static struct fxt_arg make_bool(const char *name, bool value)
{
    struct fxt_arg arg = {.name = fxt_string_from(name), .type = FXT_ARG_BOOL};

    arg.value.boolean = value;
    return arg;
}

static struct table_amount add_up(const struct table_copy *copy)
{
    struct table_amount sum = {copy->n_blocks, 0};

    for (size_t i = 0; i < copy->n_blocks; i++)
        sum.bytes += copy->blocks[i].size;
    if (!copy->is_of_peak)
        return sum;
    sum = copy->without_stack;
    for (size_t i = 0; i < copy->n_stacks; i++) {
        sum.objects += copy->stacks[i].at_peak.objects;
        sum.bytes += copy->stacks[i].at_peak.bytes;
    }
    return sum;
}

static void put_event(struct archive *a, const struct snapshot *s)
{
    const struct table_copy *copy = &s->copy;
    const struct table_head *head = &copy->head;
    struct table_amount sum = add_up(copy);
    struct fxt_arg args[] = {
        make_small("version", RECORDS_VERSION),
        make_number("unix_ns", s->time.wall_ns),
        make_number("sample_bytes", head->sample_bytes),
        make_number("depth", head->depth),
        make_bool("running", s->was_running),
        make_number("objects", sum.objects),
        make_number("bytes", sum.bytes),
        make_number("lost_blocks", head->lost_blocks),
        make_number("lost_bytes", head->lost_bytes),
        make_number("lost_stacks", head->lost_stacks),
        s->was_frozen ? make_bool("frozen", true)
                      : make_number("changed", copy->n_changed),
        copy->is_of_peak ? make_bool("peak", true)
                         : make_number("replaced", copy->n_replaced),
        make_number("damaged", copy->n_damaged),
        make_string("program", head->program),
        make_string("fxtheap", fxt_version()),
    };
    struct fxt_record record = {.type = FXT_RECORD_EVENT, .kind = FXT_EVENT_INSTANT};

    record.event.timestamp = s->time.monotonic_ns;
    record.event.thread = fxt_thread_from(head->process, head->process);
    record.event.category = fxt_string_from("heap");
    record.event.name = fxt_string_from("snapshot");
    record.n_args = sizeof(args) / sizeof(args[0]);
    record.args = args;
    fxt_writer_write(a->writer, &record);
}

/* There is no room for more arguments in the other event. */
static void put_attached(struct archive *a, const struct snapshot *s)
{
    const struct table_head *head = &s->copy.head;
    struct fxt_arg args[] = {
        make_small("version", RECORDS_VERSION),
        make_number("unknown_frees", head->unknown_frees),
        make_number("bytes_before", head->bytes_before),
    };
    struct fxt_record record = {.type = FXT_RECORD_EVENT, .kind = FXT_EVENT_INSTANT};

    if (!head->is_attached)
        return;
    record.event.timestamp = s->time.monotonic_ns;
    record.event.thread = fxt_thread_from(head->process, head->process);
    record.event.category = fxt_string_from("heap");
    record.event.name = fxt_string_from("attached");
    record.n_args = head->bytes_before != UINT64_MAX ? 3 : 2;
    record.args = args;
    fxt_writer_write(a->writer, &record);
}

/* ---- Blobs ------------------------------------------------------------------------- */

static void put_blob(struct archive *a, const char *name, uint32_t entry_words)
{
    const struct table_head *head = &a->snapshot->copy.head;
    struct fxt_arg args[] = {
        make_small("version", RECORDS_VERSION),
        make_small("entry_words", entry_words),
        make_number("entries", a->n_entries),
        make_number("sample_bytes", head->sample_bytes),
    };
    struct fxt_record record = {.type = FXT_RECORD_LARGE, .kind = FXT_LARGE_BLOB};

    if (a->n_entries == 0)
        return;
    record.large_blob.format = FXT_LARGE_BLOB_METADATA;
    record.large_blob.timestamp = a->snapshot->time.monotonic_ns;
    record.large_blob.thread = fxt_thread_from(head->process, 0);
    record.large_blob.category = fxt_string_from("heap");
    record.large_blob.name = fxt_string_from(name);
    record.large_blob.payload = (struct fxt_bytes){a->payload.data, a->payload.size};
    record.n_args = sizeof(args) / sizeof(args[0]);
    record.args = args;
    fxt_writer_write(a->writer, &record);
    a->payload.size = 0;
    a->n_entries = 0;
}

static void add_word(struct archive *a, uint64_t word)
{
    word = htole64(word);
    text_add(&a->payload, &word, sizeof(word));
}

/* Ends an entry, and with it the blob if that is large enough. */
static void end_entry(struct archive *a, const char *name, uint32_t entry_words)
{
    a->n_entries++;
    if (a->payload.size >= BLOB_WORDS_MAX * sizeof(uint64_t))
        put_blob(a, name, entry_words);
}

static void put_stacks(struct archive *a, const struct table_copy *copy)
{
    for (size_t i = 0; i < copy->n_stacks; i++) {
        const struct table_stack *stack = &copy->stacks[i];

        add_word(a, i + 1);
        add_word(a, stack->alloc_objects);
        add_word(a, stack->alloc_bytes);
        add_word(a, stack->n_pcs);
        for (uint32_t j = 0; j < stack->n_pcs; j++)
            add_word(a, copy->pcs[stack->first_pc + j]);
        end_entry(a, "stacks", 4);
    }
    put_blob(a, "stacks", 4);
}

static uint64_t stack_number(const struct table_block *block)
{
    return block->stack != TABLE_NO_STACK ? (uint64_t)block->stack + 1 : 0;
}

static void put_blocks(struct archive *a, const struct table_copy *copy)
{
    for (size_t i = 0; i < copy->n_blocks; i++) {
        const struct table_block *block = &copy->blocks[i];

        add_word(a, block->address);
        add_word(a, block->size);
        add_word(a, stack_number(block));
        add_word(a, block->thread);
        add_word(a, block->time_ns);
        end_entry(a, "blocks", 5);
    }
    put_blob(a, "blocks", 5);
}

/* ---- Groups ------------------------------------------------------------------------ */

static bool same_group(const struct table_block *a, const struct table_block *b)
{
    return a->stack == b->stack && a->size == b->size;
}

static void put_group(struct archive *a, uint64_t stack, uint64_t size, uint64_t n)
{
    if (n == 0)
        return;
    add_word(a, stack);
    add_word(a, size);
    add_word(a, n);
    end_entry(a, "groups", 3);
}

/* Of which only sums are known: blocks of the average size, some of them one byte larger
 * so that the sum is right. */
static void put_amount(struct archive *a, uint64_t stack, struct table_amount amount)
{
    uint64_t size = amount.objects > 0 ? amount.bytes / amount.objects : 0;
    uint64_t n_larger = amount.objects > 0 ? amount.bytes % amount.objects : 0;

    put_group(a, stack, size, amount.objects - n_larger);
    put_group(a, stack, size + 1, n_larger);
}

static void put_peak(struct archive *a, const struct table_copy *copy)
{
    put_amount(a, 0, copy->without_stack);
    for (size_t i = 0; i < copy->n_stacks; i++)
        put_amount(a, i + 1, copy->stacks[i].at_peak);
    put_blob(a, "groups", 3);
}

static void put_groups(struct archive *a, struct table_copy *copy)
{
    const struct table_block *all = copy->blocks;
    size_t next;

    table_sort_groups(copy);
    for (size_t i = 0; i < copy->n_blocks; i = next) {
        for (next = i + 1; next < copy->n_blocks; next++) {
            if (!same_group(&all[i], &all[next]))
                break;
        }
        put_group(a, stack_number(&all[i]), all[i].size, next - i);
    }
    put_blob(a, "groups", 3);
}

/* ---- The whole --------------------------------------------------------------------- */

static int write_bytes(void *context, const void *data, size_t size)
{
    struct output *output = context;

    output_write(output, data, size);
    return output_failed(output);
}

static void put_mappings(struct archive *a, const struct snapshot *s)
{
    pid_t process = (pid_t)s->copy.head.process;
    struct module_writer modules = {a->writer, process, s->time.monotonic_ns, 0};

    process_records_mappings(&modules, &a->table,
                             process_table_process(&a->table, process));
}

static enum fxt_code put_all(struct archive *a, struct snapshot *snapshots, size_t n)
{
    fxt_writer_start_archive(a->writer, 0);
    process_records_provider(a->writer, OWN_PROVIDER, "fxtheap", snapshots[0].time);
    for (size_t i = 0; i < n; i++) {
        put_event(a, &snapshots[i]);
        put_attached(a, &snapshots[i]);
    }
    process_records_names(a->writer, &a->table);
    for (size_t i = 0; i < n; i++)
        put_mappings(a, &snapshots[i]);
    for (size_t i = 0; i < n; i++) {
        a->snapshot = &snapshots[i];
        put_stacks(a, &snapshots[i].copy);
        if (snapshots[i].copy.is_of_peak)
            put_peak(a, &snapshots[i].copy);
        else if (a->with_tags)
            put_blocks(a, &snapshots[i].copy);
        else
            put_groups(a, &snapshots[i].copy);
    }
    return fxt_writer_finish(a->writer);
}

static bool write_all(struct archive *a, struct snapshot *snapshots, size_t n,
                      struct text *why)
{
    struct fxt_writer_options options = {.size = sizeof(options),
                                         .write = write_bytes,
                                         .context = a->output,
                                         .threads = FXT_REFERENCES_IN_LINE};
    enum fxt_code code;
    bool good;

    if (fxt_writer_create(&options, &a->writer) != FXT_OK)
        memory_allocate(SIZE_MAX);
    code = put_all(a, snapshots, n);
    fxt_writer_destroy(a->writer);
    good = output_close(a->output, code == FXT_OK, why);
    if (good && code != FXT_OK)
        text_str(why, fxt_code_message(code));
    return good && code == FXT_OK;
}

bool archive_write(struct snapshot *snapshots, size_t n, bool with_tags, const char *name,
                   struct text *why)
{
    struct archive a = {.with_tags = with_tags};
    bool good;

    a.output = output_open(name, true, why);
    if (a.output == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        add_process(&a, &snapshots[i]);
    mapped_files_read(&a.table.files);
    good = write_all(&a, snapshots, n, why);
    process_table_free(&a.table);
    text_free(&a.payload);
    return good;
}
