/* SPDX-License-Identifier: BSD-2-Clause */
/* See series.h. */
#include "series.h"

#include <fxt/fxt.h>

#include "common/base/io/output.h"
#include "heap_records.h"
#include "common/processes/proc_read.h"
#include "series_heap.h"

enum { RECORDS_VERSION = 2, OWN_PROVIDER = 1 };

struct series {
    struct output *output;
    struct fxt_writer *writer;
    /* What is to be written at the end of the point. */
    struct text bytes;
    struct process_table table;
    struct blob_writer blobs;
    /* Of processes that may be in further points. */
    struct series_heap *heaps;
    size_t n_heaps;
    size_t heap_capacity;
    uint64_t n_heaps_ever;
    /* The point to come. */
    struct snapshot *snapshots;
    size_t n_snapshots;
    size_t snapshot_capacity;
    bool has_failed;
    struct series_counts counts;
};

/* ---- Heaps ------------------------------------------------------------------------- */

static void remove_heap(struct series *s, size_t i)
{
    series_heap_free(&s->heaps[i]);
    s->heaps[i] = s->heaps[--s->n_heaps];
}

static bool is_of(const struct series_heap *heap, const struct table_head *head)
{
    return heap->process == head->process && heap->start_ticks == head->start_ticks &&
           heap->created_ns == head->monotonic_ns;
}

/* The heap that a snapshot is of, which is added if there is none; and stores whether it
 * was. Another one of the same process is of before its exec. */
static struct series_heap *find_heap(struct series *s, const struct table_head *head,
                                     bool *is_new)
{
    struct series_heap *heap;

    *is_new = false;
    for (size_t i = 0; i < s->n_heaps; i++) {
        if (is_of(&s->heaps[i], head))
            return &s->heaps[i];
        if (s->heaps[i].process == head->process)
            remove_heap(s, i--);
    }
    *is_new = true;
    s->heaps = memory_grow(s->heaps, s->n_heaps, &s->heap_capacity, sizeof(*s->heaps));
    heap = &s->heaps[s->n_heaps++];
    *heap = (struct series_heap){.process = head->process,
                                 .start_ticks = head->start_ticks,
                                 .created_ns = head->monotonic_ns,
                                 .number = ++s->n_heaps_ever};
    return heap;
}

/* ---- Processes --------------------------------------------------------------------- */

/* A process that had this id before, or this one before its exec, had other names and
 * mappings. */
static void describe_process(struct series *s, const struct snapshot *snapshot)
{
    const struct table_head *head = &snapshot->copy.head;
    pid_t process = (pid_t)head->process;

    if (process_entry_name(process_table_process(&s->table, process)) != NULL)
        process_table_rename(&s->table, process, process, head->name, true,
                             snapshot->time.monotonic_ns);
    else
        heap_records_add_names(&s->table, snapshot);
    /* The events are its. */
    process_table_thread(&s->table, process)->is_named = true;
    heap_records_add_maps(&s->table, snapshot, 0);
    if (snapshot->was_running)
        proc_read_process(&s->table, process);
}

static void put_process(struct series *s, struct series_heap *heap,
                        const struct snapshot *snapshot, bool is_new)
{
    if (is_new)
        describe_process(s, snapshot);
    else
        heap_records_add_maps(&s->table, snapshot, heap->maps_size);
    heap->maps_size = snapshot->copy.maps.size;
    mapped_files_read(&s->table.files);
    process_records_names(s->writer, &s->table);
    heap_records_mappings(s->writer, &s->table, snapshot);
}

/* ---- Entries ----------------------------------------------------------------------- */

/* The first of the heap's stacks is that of unknown ones, which has no PCs. */
static void put_stacks(struct series *s, const struct series_heap *heap,
                       const struct table_copy *copy)
{
    blob_begin(&s->blobs, "stacks", 2);
    for (size_t i = 1; i < heap->n_stacks; i++) {
        const struct table_stack *stack = &copy->stacks[i - 1];

        if (!heap->stacks[i].is_new)
            continue;
        blob_add_word(&s->blobs, stack->number);
        blob_add_word(&s->blobs, stack->n_pcs);
        for (uint32_t j = 0; j < stack->n_pcs; j++)
            blob_add_word(&s->blobs, copy->pcs[stack->first_pc + j]);
        blob_end_entry(&s->blobs);
    }
    blob_end(&s->blobs);
}

static void put_states(struct series *s, const struct series_heap *heap,
                       const struct table_copy *copy)
{
    blob_begin_states(&s->blobs);
    for (size_t i = 1; i < heap->n_stacks; i++) {
        const struct table_stack *stack = &copy->stacks[i - 1];

        if (heap->stacks[i].is_new)
            blob_add_state(&s->blobs, stack->number, stack);
    }
    blob_end(&s->blobs);
}

static void put_amounts(struct series *s, const struct series_heap *heap,
                        const struct table_copy *copy)
{
    blob_begin(&s->blobs, "amounts", copy->head.has_counts ? 6 : 5);
    for (size_t i = 0; i < heap->n_stacks; i++) {
        const struct series_stack *stack = &heap->stacks[i];

        if (!stack->is_changed)
            continue;
        blob_add_word(&s->blobs, stack->number);
        blob_add_word(&s->blobs, stack->live.objects);
        blob_add_word(&s->blobs, stack->live.bytes);
        blob_add_word(&s->blobs, stack->allocated.objects);
        blob_add_word(&s->blobs, stack->allocated.bytes);
        if (copy->head.has_counts)
            blob_add_word(&s->blobs, stack->n_temporary);
        blob_end_entry(&s->blobs);
    }
    blob_end(&s->blobs);
}

/* ---- Events ------------------------------------------------------------------------ */

/* For any program that shows counters. */
static void put_counter(struct series *s, const struct series_heap *heap,
                        const struct snapshot *snapshot)
{
    struct fxt_arg args[] = {
        heap_arg_number("live bytes", heap->live.bytes),
        heap_arg_number("live blocks", heap->live.objects),
        heap_arg_number("allocated bytes", heap->allocated.bytes),
        heap_arg_number("allocated blocks", heap->allocated.objects),
    };

    heap_records_event(s->writer, snapshot,
                       &(struct heap_event){FXT_EVENT_COUNTER, "heap", args,
                                            sizeof(args) / sizeof(args[0])});
}

static void put_point(struct series *s, const struct series_heap *heap,
                      const struct snapshot *snapshot)
{
    const struct table_head *head = &snapshot->copy.head;
    struct fxt_arg args[] = {
        heap_arg_small("version", RECORDS_VERSION),
        heap_arg_count("point", s->counts.n_points),
        heap_arg_count("processes", s->n_snapshots),
        heap_arg_count("heap", heap->number),
        heap_arg_bool("running", snapshot->was_running),
        heap_arg_number("unix_ns", snapshot->time.wall_ns),
        heap_arg_count("sample_bytes", head->sample_bytes),
        heap_arg_number("start_ns", head->monotonic_ns),
        heap_arg_count("lost_blocks", head->lost_blocks),
        heap_arg_count("lost_bytes", head->lost_bytes),
        heap_arg_count("lost_stacks", head->lost_stacks),
        heap_arg_count("changed", snapshot->copy.n_changed),
        heap_arg_count("damaged", snapshot->copy.n_damaged),
        heap_arg_string("program", head->program),
        heap_arg_string("fxtheap", fxt_version()),
    };

    heap_records_event(s->writer, snapshot,
                       &(struct heap_event){FXT_EVENT_INSTANT, "point", args,
                                            sizeof(args) / sizeof(args[0])});
}

/* ---- Points ------------------------------------------------------------------------ */

static void put_snapshot(struct series *s, const struct snapshot *snapshot)
{
    bool is_new;
    struct series_heap *heap = find_heap(s, &snapshot->copy.head, &is_new);

    put_process(s, heap, snapshot, is_new);
    series_heap_update(heap, &snapshot->copy);
    s->blobs.snapshot = snapshot;
    s->blobs.about = heap_arg_number("heap", heap->number);
    put_stacks(s, heap, &snapshot->copy);
    put_states(s, heap, &snapshot->copy);
    put_amounts(s, heap, &snapshot->copy);
    put_counter(s, heap, snapshot);
    put_point(s, heap, snapshot);
    heap_records_recording(s->writer, snapshot, s->counts.n_points);
    if (!snapshot->was_running)
        remove_heap(s, (size_t)(heap - s->heaps));
}

/* What processes have left that have ended; series_end adds the others. */
static void count_left(struct series *s, const struct snapshot *snapshot)
{
    struct snapshot_totals totals = snapshot_add_up(&snapshot->copy);

    s->counts.n_processes++;
    s->counts.left.objects += totals.objects;
    s->counts.left.bytes += totals.bytes;
}

static void write_point(struct series *s)
{
    if (s->counts.n_points++ == 0) {
        fxt_writer_start_archive(s->writer, 0);
        process_records_provider(s->writer, OWN_PROVIDER, "fxtheap",
                                 s->snapshots[0].time);
    }
    for (size_t i = 0; i < s->n_snapshots; i++)
        put_snapshot(s, &s->snapshots[i]);
    fxt_writer_flush(s->writer);
    s->has_failed = (s->counts.n_points == 1 && !output_publish(s->output)) ||
                    !output_write_whole(s->output, s->bytes.data, s->bytes.size);
    s->counts.n_points -= s->has_failed;
    s->bytes.size = 0;
}

void series_end_point(struct series *s)
{
    if (s->n_snapshots > 0 && !s->has_failed)
        write_point(s);
    for (size_t i = 0; i < s->n_snapshots; i++)
        table_copy_free(&s->snapshots[i].copy);
    s->n_snapshots = 0;
}

void series_add(struct series *s, struct snapshot *snapshot)
{
    s->counts.is_sampled |= snapshot->copy.head.sample_bytes > 0;
    if (!snapshot->was_running)
        count_left(s, snapshot);
    MEMORY_ADD(s->snapshots, s->n_snapshots, s->snapshot_capacity, *snapshot);
}

/* ---- The whole --------------------------------------------------------------------- */

static int keep_bytes(void *context, const void *data, size_t size)
{
    struct series *s = context;

    text_add(&s->bytes, data, size);
    return 0;
}

struct series *series_begin(const char *name, struct text *why)
{
    struct output *output = output_open(name, true, why);
    struct fxt_writer_options options = {
        .size = sizeof(options), .write = keep_bytes, .threads = FXT_REFERENCES_IN_LINE};
    struct series *s;

    if (output == NULL)
        return NULL;
    s = memory_allocate(sizeof(*s));
    s->output = output;
    options.context = s;
    if (fxt_writer_create(&options, &s->writer) != FXT_OK)
        memory_allocate(SIZE_MAX);
    s->blobs.writer = s->writer;
    s->blobs.version = RECORDS_VERSION;
    return s;
}

bool series_end(struct series *s, struct series_counts *counts, struct text *why)
{
    enum fxt_code code = fxt_writer_finish(s->writer);
    bool good;

    *counts = s->counts;
    for (size_t i = 0; i < s->n_heaps; i++) {
        counts->n_processes++;
        counts->n_running++;
        counts->left.objects += (double)s->heaps[i].live.objects;
        counts->left.bytes += (double)s->heaps[i].live.bytes;
    }
    good = output_close(s->output, s->counts.n_points > 0, why);
    if (good && code != FXT_OK)
        text_str(why, fxt_code_message(code));
    fxt_writer_destroy(s->writer);
    return good && code == FXT_OK;
}
