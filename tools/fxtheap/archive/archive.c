/* SPDX-License-Identifier: BSD-2-Clause */
/* See archive.h. */
#include "archive.h"

#include <fxt/fxt.h>

#include "common/base/io/output.h"
#include "heap_records.h"
#include "common/processes/proc_read.h"
#include "tools/fxtheap/table/table_sort.h"

enum { RECORDS_VERSION = 1, OWN_PROVIDER = 1 };

struct archive {
    struct fxt_writer *writer;
    struct output *output;
    struct process_table table;
    bool with_tags;
    struct blob_writer blobs;
};

/* ---- Processes --------------------------------------------------------------------- */

/* The heap's table has what is known of a process that has ended; one that still runs may
 * have new names by now. */
static void add_process(struct archive *a, const struct snapshot *s)
{
    const struct table_copy *copy = &s->copy;

    heap_records_add_names(&a->table, s);
    heap_records_add_maps(&a->table, s, 0);
    if (s->was_running)
        proc_read_process(&a->table, (pid_t)copy->head.process);
    for (size_t i = 0; a->with_tags && i < copy->n_blocks; i++)
        process_table_thread(&a->table, (pid_t)copy->blocks[i].thread)->is_sampled = true;
}

/* ---- The events -------------------------------------------------------------------- */

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

static void put_snapshot(struct archive *a, const struct snapshot *s)
{
    const struct table_copy *copy = &s->copy;
    const struct table_head *head = &copy->head;
    struct table_amount sum = add_up(copy);
    struct fxt_arg args[] = {
        heap_arg_small("version", RECORDS_VERSION),
        heap_arg_number("unix_ns", s->time.wall_ns),
        heap_arg_number("sample_bytes", head->sample_bytes),
        heap_arg_number("depth", head->depth),
        heap_arg_bool("running", s->was_running),
        heap_arg_number("objects", sum.objects),
        heap_arg_number("bytes", sum.bytes),
        heap_arg_number("lost_blocks", head->lost_blocks),
        heap_arg_number("lost_bytes", head->lost_bytes),
        heap_arg_number("lost_stacks", head->lost_stacks),
        s->was_frozen ? heap_arg_bool("frozen", true)
                      : heap_arg_number("changed", copy->n_changed),
        copy->is_of_peak ? heap_arg_bool("peak", true)
                         : heap_arg_number("replaced", copy->n_replaced),
        heap_arg_number("damaged", copy->n_damaged),
        heap_arg_string("program", head->program),
        heap_arg_string("fxtheap", fxt_version()),
    };

    heap_records_event(a->writer, s,
                       &(struct heap_event){FXT_EVENT_INSTANT, "snapshot", args,
                                            sizeof(args) / sizeof(args[0])});
}

/* There is no room for more arguments in the first event. */
static void put_attached(struct archive *a, const struct snapshot *s)
{
    const struct table_head *head = &s->copy.head;
    struct fxt_arg args[] = {
        heap_arg_small("version", RECORDS_VERSION),
        heap_arg_number("unknown_frees", head->unknown_frees),
        heap_arg_number("bytes_before", head->bytes_before),
    };

    if (head->is_attached)
        heap_records_event(
            a->writer, s,
            &(struct heap_event){FXT_EVENT_INSTANT, "attached", args,
                                 head->bytes_before != UINT64_MAX ? 3 : 2});
}

/* ---- Blobs ------------------------------------------------------------------------- */

static void put_stacks(struct archive *a, const struct table_copy *copy)
{
    uint32_t entry_words = copy->head.has_counts ? 5 : 4;

    blob_begin(&a->blobs, "stacks", entry_words);
    for (size_t i = 0; i < copy->n_stacks; i++) {
        const struct table_stack *stack = &copy->stacks[i];

        blob_add_word(&a->blobs, i + 1);
        blob_add_word(&a->blobs, stack->alloc_objects);
        blob_add_word(&a->blobs, stack->alloc_bytes);
        blob_add_word(&a->blobs, stack->n_pcs);
        if (copy->head.has_counts)
            blob_add_word(&a->blobs, stack->n_temporary);
        for (uint32_t j = 0; j < stack->n_pcs; j++)
            blob_add_word(&a->blobs, copy->pcs[stack->first_pc + j]);
        blob_end_entry(&a->blobs);
    }
    blob_end(&a->blobs);
}

static void put_states(struct archive *a, const struct table_copy *copy)
{
    blob_begin_states(&a->blobs);
    for (size_t i = 0; i < copy->n_stacks; i++)
        blob_add_state(&a->blobs, i + 1, &copy->stacks[i]);
    blob_end(&a->blobs);
}

static uint64_t stack_number(const struct table_block *block)
{
    return block->stack != TABLE_NO_STACK ? (uint64_t)block->stack + 1 : 0;
}

static void put_blocks(struct archive *a, const struct table_copy *copy)
{
    blob_begin(&a->blobs, "blocks", 5);
    for (size_t i = 0; i < copy->n_blocks; i++) {
        const struct table_block *block = &copy->blocks[i];

        blob_add_word(&a->blobs, block->address);
        blob_add_word(&a->blobs, block->size);
        blob_add_word(&a->blobs, stack_number(block));
        blob_add_word(&a->blobs, block->thread);
        blob_add_word(&a->blobs, block->time_ns);
        blob_end_entry(&a->blobs);
    }
    blob_end(&a->blobs);
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
    blob_add_word(&a->blobs, stack);
    blob_add_word(&a->blobs, size);
    blob_add_word(&a->blobs, n);
    blob_end_entry(&a->blobs);
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
    blob_begin(&a->blobs, "groups", 3);
    put_amount(a, 0, copy->without_stack);
    for (size_t i = 0; i < copy->n_stacks; i++)
        put_amount(a, i + 1, copy->stacks[i].at_peak);
    blob_end(&a->blobs);
}

static void put_groups(struct archive *a, struct table_copy *copy)
{
    const struct table_block *all = copy->blocks;
    size_t next;

    blob_begin(&a->blobs, "groups", 3);
    table_sort_groups(copy);
    for (size_t i = 0; i < copy->n_blocks; i = next) {
        for (next = i + 1; next < copy->n_blocks; next++) {
            if (!same_group(&all[i], &all[next]))
                break;
        }
        put_group(a, stack_number(&all[i]), all[i].size, next - i);
    }
    blob_end(&a->blobs);
}

/* ---- The whole --------------------------------------------------------------------- */

static enum fxt_code put_all(struct archive *a, struct snapshot *snapshots, size_t n)
{
    fxt_writer_start_archive(a->writer, 0);
    process_records_provider(a->writer, OWN_PROVIDER, "fxtheap", snapshots[0].time);
    for (size_t i = 0; i < n; i++) {
        put_snapshot(a, &snapshots[i]);
        heap_records_recording(a->writer, &snapshots[i], 0);
        put_attached(a, &snapshots[i]);
    }
    process_records_names(a->writer, &a->table);
    for (size_t i = 0; i < n; i++)
        heap_records_mappings(a->writer, &a->table, &snapshots[i]);
    a->blobs = (struct blob_writer){.writer = a->writer, .version = RECORDS_VERSION};
    for (size_t i = 0; i < n; i++) {
        a->blobs.snapshot = &snapshots[i];
        a->blobs.about =
            heap_arg_number("sample_bytes", snapshots[i].copy.head.sample_bytes);
        put_stacks(a, &snapshots[i].copy);
        put_states(a, &snapshots[i].copy);
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
                                         .write = output_take,
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

    a.output = output_open(name, true, why);
    if (a.output == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        add_process(&a, &snapshots[i]);
    mapped_files_read(&a.table.files);
    return write_all(&a, snapshots, n, why);
}
