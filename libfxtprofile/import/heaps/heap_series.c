/* SPDX-License-Identifier: BSD-2-Clause */
/* See heap_series.h. */
#include "heap_series.h"

#include <fxt/format.h>

#include "common/base/memory.h"
#include "common/base/table_items.h"
#include "common/records/record_args.h"

/* The words that entries have at least. */
enum { STACK_WORDS = 2, AMOUNT_WORDS = 5, STATE_WORDS = 3 };

/* The word of amounts with the temporary blocks, which not all writers have. */
enum { TEMPORARY_WORD = AMOUNT_WORDS };

#define NONE UINT32_MAX

/* ---- Streams ----------------------------------------------------------------------- */

static void discard_open_point(struct heap_series *s)
{
    s->open = (struct heap_point){.number = 0};
    s->n_changes = 0;
    s->n_open_heaps = 0;
}

/* What a stream had at its end of a point that is not complete is not used. */
static struct series_stream *current_stream(struct heap_series *s)
{
    struct series_stream *last;

    if (s->n_streams > 0 && s->streams[s->n_streams - 1].stream == s->stream)
        return &s->streams[s->n_streams - 1];
    discard_open_point(s);
    s->streams =
        memory_grow(s->streams, s->n_streams, &s->stream_capacity, sizeof(*s->streams));
    last = &s->streams[s->n_streams++];
    *last = (struct series_stream){.stream = s->stream,
                                   .wanted = s->wanted,
                                   .sign = s->sign,
                                   .start_ns = UINT64_MAX,
                                   .shown = SIZE_MAX};
    return last;
}

/* ---- Heaps ------------------------------------------------------------------------- */

/* The heap with a number, which is added if there is none; NONE if it is of another
 * process. */
static uint32_t find_heap(struct heap_series *s, uint64_t number, uint64_t process)
{
    struct series_heap heap = {
        .number = number, .stream = current_stream(s)->stream, .process = process};
    uint32_t found = TABLE_PUT(&s->heap_table, s->heaps, s->n_heaps, s->heap_capacity,
                               &heap, number, stream);

    return s->heaps[found].process == process ? found : NONE;
}

/* ---- Entries ----------------------------------------------------------------------- */

/* What is left of a blob. */
struct entries {
    struct heap_series *series;
    const unsigned char *data;
    uint64_t n_words;
    uint64_t entry_words;
    uint64_t time_ns;
    uint32_t heap;
};

static uint64_t word_at(const struct entries *e, uint64_t index)
{
    return record_word_at(e->data, index);
}

static void skip_words(struct entries *e, uint64_t n_words)
{
    e->data += n_words * FXT_WORD_BYTES;
    e->n_words -= n_words;
}

static struct stack_owner owner_of(const struct entries *e)
{
    return (struct stack_owner){0, e->heap};
}

/* A new stack has nothing yet. */
static void add_values(struct heap_series *s)
{
    MEMORY_ADD(s->stacks, s->n_stacks, s->stack_capacity,
               (struct series_stack){{0}, {0}});
}

static uint32_t find_unknown(struct entries *e)
{
    uint32_t found = numbered_stacks_unknown(&e->series->known, owner_of(e));

    if (found == e->series->n_stacks)
        add_values(e->series);
    return found;
}

/* A stack that is repeated is damage; its first record counts. */
static void take_stack(struct entries *e)
{
    struct heap_series *s = e->series;
    uint64_t number = word_at(e, 0);
    uint64_t n_pcs = word_at(e, 1);
    struct numbered_stack *stack;

    if (n_pcs > e->n_words - e->entry_words) {
        s->n_damaged++;
        e->n_words = 0;
        return;
    }
    if (number == 0 || n_pcs == 0 ||
        numbered_stacks_find(&s->known, owner_of(e), number) != NUMBERED_STACK_NONE) {
        s->n_damaged++;
    } else {
        stack = numbered_stacks_add(&s->known, owner_of(e), number,
                                    e->data + e->entry_words * FXT_WORD_BYTES, n_pcs);
        stack->time_ns = e->time_ns;
        add_values(s);
    }
    skip_words(e, e->entry_words + n_pcs);
}

static void take_state(struct entries *e)
{
    struct heap_series *s = e->series;
    uint32_t found = numbered_stacks_find(&s->known, owner_of(e), word_at(e, 0));
    uint64_t time_ns = word_at(e, 1);

    if (found != NUMBERED_STACK_NONE) {
        if (time_ns > 0)
            s->known.all[found].time_ns = time_ns;
        s->known.all[found].end = heap_known_end(word_at(e, 2));
    } else {
        s->n_damaged++;
    }
    skip_words(e, e->entry_words);
}

static bool is_possible(const struct heap_amounts *a)
{
    return a->objects <= INT64_MAX && a->bytes <= INT64_MAX &&
           a->alloc_objects <= INT64_MAX && a->alloc_bytes <= INT64_MAX &&
           a->temporary <= INT64_MAX;
}

static void take_amounts(struct entries *e)
{
    struct heap_series *s = e->series;
    uint64_t number = word_at(e, 0);
    struct series_change change = {
        .to = {word_at(e, 1), word_at(e, 2), word_at(e, 3), word_at(e, 4), 0}};

    if (e->entry_words > TEMPORARY_WORD) {
        change.to.temporary = word_at(e, TEMPORARY_WORD);
        s->has_temporary = true;
    }
    change.stack = number == 0 ? find_unknown(e)
                               : numbered_stacks_find(&s->known, owner_of(e), number);
    if (change.stack == NUMBERED_STACK_NONE) {
        s->n_damaged++;
        change.stack = find_unknown(e);
    }
    if (is_possible(&change.to)) {
        MEMORY_ADD(s->changes, s->n_changes, s->change_capacity, change);
    } else {
        s->n_damaged++;
    }
    skip_words(e, e->entry_words);
}

static void take_entries(struct entries *e, uint64_t least,
                         void (*take)(struct entries *))
{
    if (e->heap == NONE || e->entry_words < least) {
        e->series->n_damaged++;
        return;
    }
    while (e->n_words >= e->entry_words)
        take(e);
    e->series->n_damaged += e->n_words > 0;
}

void heap_series_take(struct heap_series *s, const struct fxt_record *record)
{
    const struct fxt_large_blob *blob = &record->large_blob;
    struct entries e = {
        .series = s,
        .data = (const unsigned char *)blob->payload.data,
        .n_words = blob->payload.size / FXT_WORD_BYTES,
        .entry_words = record_find_number(record, "entry_words"),
    };

    fxt_ticks_to_ns(blob->timestamp, record->provider->ticks_per_second, &e.time_ns);
    e.heap = find_heap(s, record_find_number(record, "heap"), blob->thread.process);
    if (fxt_string_is(blob->name, "stacks"))
        take_entries(&e, STACK_WORDS, take_stack);
    else if (fxt_string_is(blob->name, "stack_states"))
        take_entries(&e, STATE_WORDS, take_state);
    else
        take_entries(&e, AMOUNT_WORDS, take_amounts);
}

/* ---- Points ------------------------------------------------------------------------ */

/* Sums of hostile numbers may be any. */
static void replace(struct heap_amounts *sum, const struct heap_amounts *before,
                    const struct heap_amounts *now)
{
    sum->objects += now->objects - before->objects;
    sum->bytes += now->bytes - before->bytes;
    sum->alloc_objects += now->alloc_objects - before->alloc_objects;
    sum->alloc_bytes += now->alloc_bytes - before->alloc_bytes;
}

static bool is_shown(const struct heap_series *s, const struct series_stream *stream)
{
    return (stream->wanted == 0 || s->open.number <= stream->wanted) &&
           (s->window == NULL || s->open.time_ns <= s->window->last_ns);
}

static void apply_changes(struct heap_series *s, struct series_stream *stream, bool shown)
{
    for (size_t i = 0; i < s->n_changes; i++) {
        const struct series_change *change = &s->changes[i];
        struct series_stack *stack = &s->stacks[change->stack];
        uint64_t heap = s->known.all[change->stack].owner.number;

        replace(&s->heaps[heap].now, &stack->now, &change->to);
        replace(&stream->ever, &stack->now, &change->to);
        stack->now = change->to;
        if (shown)
            stack->shown = change->to;
    }
}

static void add_point(struct heap_series *s, struct series_stream *stream)
{
    s->open.is_first = !stream->has_points;
    stream->has_points = true;
    MEMORY_ADD(s->points, s->n_points, s->point_capacity, s->open);
}

/* The point that was read is complete, or what is left of it. */
static void end_point(struct heap_series *s)
{
    struct series_stream *stream = current_stream(s);
    bool shown = is_shown(s, stream);

    apply_changes(s, stream, shown);
    for (size_t i = 0; i < s->n_open_heaps; i++) {
        struct series_heap *heap = &s->heaps[s->open_heaps[i]];

        s->open.amounts.objects += heap->now.objects;
        s->open.amounts.bytes += heap->now.bytes;
        if (shown)
            heap->shown = heap->last;
    }
    s->open.amounts.alloc_objects = stream->ever.alloc_objects;
    s->open.amounts.alloc_bytes = stream->ever.alloc_bytes;
    s->open.n_processes = s->n_open_heaps;
    s->open.since_start_ns =
        s->open.time_ns > stream->start_ns ? s->open.time_ns - stream->start_ns : 0;
    if (shown)
        stream->shown = s->n_points;
    add_point(s, stream);
    discard_open_point(s);
}

static void add_heap(struct heap_series *s, uint32_t heap,
                     const struct fxt_record *record)
{
    struct series_stream *stream = current_stream(s);
    uint64_t start_ns = record_find_number(record, "start_ns");
    uint64_t sample_bytes = record_find_number(record, "sample_bytes");
    uint64_t time_ns;

    fxt_ticks_to_ns(record->event.timestamp, record->provider->ticks_per_second,
                    &time_ns);
    s->heaps[heap].last = (struct series_state){
        .point = s->open.number,
        .is_running = record_is_true(record, "running"),
        .n_lost_blocks = record_find_number(record, "lost_blocks"),
        .lost_bytes = record_find_number(record, "lost_bytes"),
        .n_lost_stacks = record_find_number(record, "lost_stacks"),
        .n_changed = record_find_number(record, "changed"),
        .n_damaged = record_find_number(record, "damaged"),
    };
    if (start_ns < stream->start_ns)
        stream->start_ns = start_ns;
    if (sample_bytes > s->sample_bytes)
        s->sample_bytes = sample_bytes;
    if (time_ns > s->open.time_ns)
        s->open.time_ns = time_ns;
    MEMORY_ADD(s->open_heaps, s->n_open_heaps, s->open_heap_capacity, heap);
}

void heap_series_take_event(struct heap_series *s, const struct fxt_record *record)
{
    uint64_t number = record_find_number(record, "point");
    uint32_t heap =
        find_heap(s, record_find_number(record, "heap"), record->event.thread.process);

    if (number == 0 || heap == NONE || s->heaps[heap].last.point >= number) {
        s->n_damaged++;
        return;
    }
    /* A part of the one before was lost to damage. */
    if (s->n_open_heaps > 0 && s->open.number != number) {
        s->n_damaged++;
        end_point(s);
    }
    s->open.number = number;
    add_heap(s, heap, record);
    if (s->n_open_heaps >= record_find_number(record, "processes"))
        end_point(s);
}

/* ---- The end ----------------------------------------------------------------------- */

/* Of a process that calls exec, the last heap is shown; of others that have an id one
 * after the other, all are that have ended. */
static bool is_replaced(const struct heap_series *s, const struct table *later,
                        const struct series_heap *heap, uint64_t hash)
{
    struct table_probe probe = table_probe(later, hash);
    uint32_t found;

    while (table_next(later, &probe, &found)) {
        if (s->heaps[found].process == heap->process &&
            s->heaps[found].stream == heap->stream)
            return true;
    }
    return false;
}

static bool is_in_view(const struct heap_series *s, const struct series_heap *heap,
                       bool replaced)
{
    uint64_t wanted = heap_series_stream(s, heap)->wanted;

    if (wanted > 0)
        return heap->shown.point == wanted;
    return heap->shown.point > 0 && (!heap->shown.is_running || !replaced);
}

void heap_series_settle(struct heap_series *s)
{
    struct table later = {NULL, 0, 0};

    for (size_t i = s->n_heaps; i-- > 0;) {
        struct series_heap *heap = &s->heaps[i];
        uint64_t hash = hash_word(hash_word(hash_start(), heap->stream), heap->process);
        bool replaced = is_replaced(s, &later, heap, hash);

        heap->is_in_view = is_in_view(s, heap, replaced);
        if (heap->shown.point > 0 && !replaced)
            table_add(&later, hash, i);
    }
    for (size_t i = 0; i < s->n_streams; i++) {
        if (s->streams[i].shown != SIZE_MAX)
            s->points[s->streams[i].shown].is_shown = true;
    }
    table_free(&later);
}

void heap_series_free(struct heap_series *s)
{
    memory_release(s->streams);
    memory_release(s->heaps);
    table_free(&s->heap_table);
    numbered_stacks_free(&s->known);
    memory_release(s->stacks);
    memory_release(s->points);
    memory_release(s->changes);
    memory_release(s->open_heaps);
}
