/* SPDX-License-Identifier: BSD-2-Clause */
/* See heap_snapshot.h. */
#include "heap_snapshot.h"

#include <string.h>

#include <fxt/format.h>

#include "common/base/sample_weight.h"
#include "common/records/record_args.h"

/* Of single snapshots, and of series. */
enum { KNOWN_VERSION = 1, SERIES_VERSION = 2 };

/* The words that each kind of entry has at least. */
enum { STACK_WORDS = 4, GROUP_WORDS = 3, BLOCK_WORDS = 5, STATE_WORDS = 3 };

/* The word of a stack with its temporary blocks, which not all writers have. */
enum { TEMPORARY_WORD = STACK_WORDS };

/* ---- Records ----------------------------------------------------------------------- */

bool heap_is_piece(const struct fxt_record *record)
{
    const struct fxt_large_blob *blob = &record->large_blob;

    return record->type == FXT_RECORD_LARGE && !record->unknown &&
           blob->format == FXT_LARGE_BLOB_METADATA &&
           fxt_string_is(blob->category, "heap") &&
           (fxt_string_is(blob->name, "stacks") ||
            fxt_string_is(blob->name, "stack_states") ||
            fxt_string_is(blob->name, "groups") || fxt_string_is(blob->name, "blocks") ||
            fxt_string_is(blob->name, "amounts"));
}

/* What is left of a blob, and what each entry in it has in front. */
struct entries {
    struct heap *heap;
    const unsigned char *data;
    uint64_t n_words;
    uint64_t entry_words;
    uint64_t process;
    uint64_t sample_bytes;
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

/* ---- Stacks ------------------------------------------------------------------------ */

static struct stack_owner owner_of(const struct entries *e)
{
    return (struct stack_owner){e->heap->stream, e->process};
}

/* A new stack has nothing yet. */
static struct heap_stack *add_values(struct heap *h)
{
    MEMORY_ADD(h->stacks, h->n_stacks, h->stack_capacity,
               (struct heap_stack){.sign = h->takes_off ? -1 : 1});
    return &h->stacks[h->n_stacks - 1];
}

static uint32_t find_unknown(struct entries *e)
{
    uint32_t found = numbered_stacks_unknown(&e->heap->known, owner_of(e));

    if (found == e->heap->n_stacks)
        add_values(e->heap);
    return found;
}

/* Single sizes are not known: their average stands for them. */
static void count_allocated(struct heap_stack *stack, uint64_t objects, uint64_t bytes,
                            uint64_t sample_bytes)
{
    double weight;

    if (objects == 0)
        return;
    weight = heap_weight((double)bytes / (double)objects, sample_bytes);
    stack->alloc_objects = (double)objects * weight;
    stack->alloc_bytes = (double)bytes * weight;
}

/* A stack that is repeated is damage; its first record counts. */
static void take_stack(struct entries *e)
{
    uint64_t number = word_at(e, 0);
    uint64_t n_pcs = word_at(e, 3);
    struct heap_stack *stack;

    if (n_pcs > e->n_words - e->entry_words) {
        e->heap->tally.n_damaged++;
        e->n_words = 0;
        return;
    }
    if (number == 0 || n_pcs == 0 ||
        numbered_stacks_find(&e->heap->known, owner_of(e), number) !=
            NUMBERED_STACK_NONE) {
        e->heap->tally.n_damaged++;
    } else {
        numbered_stacks_add(&e->heap->known, owner_of(e), number,
                            e->data + e->entry_words * FXT_WORD_BYTES, n_pcs);
        stack = add_values(e->heap);
        count_allocated(stack, word_at(e, 1), word_at(e, 2), e->sample_bytes);
        if (e->entry_words > TEMPORARY_WORD)
            stack->temporary = (double)word_at(e, TEMPORARY_WORD);
        e->heap->has_temporary |= e->entry_words > TEMPORARY_WORD;
    }
    skip_words(e, e->entry_words + n_pcs);
}

static void take_state(struct entries *e)
{
    struct numbered_stacks *known = &e->heap->known;
    uint32_t found = numbered_stacks_find(known, owner_of(e), word_at(e, 0));

    if (found != NUMBERED_STACK_NONE) {
        known->all[found].time_ns = word_at(e, 1);
        known->all[found].end = heap_known_end(word_at(e, 2));
    } else {
        e->heap->tally.n_damaged++;
    }
    skip_words(e, e->entry_words);
}

/* ---- Blocks ------------------------------------------------------------------------ */

static uint32_t stack_of(struct entries *e, uint64_t number)
{
    uint32_t found;

    if (number == 0)
        return find_unknown(e);
    found = numbered_stacks_find(&e->heap->known, owner_of(e), number);
    if (found != NUMBERED_STACK_NONE)
        return found;
    e->heap->tally.n_damaged++;
    return find_unknown(e);
}

static void count_in_use(struct entries *e, uint32_t number, uint64_t size, uint64_t n)
{
    struct heap_stack *stack = &e->heap->stacks[number];
    double weight = heap_weight((double)size, e->sample_bytes) * (double)n;

    stack->objects += weight;
    stack->bytes += weight * (double)size;
}

static void take_group(struct entries *e)
{
    uint64_t n = word_at(e, 2);

    if (e->heap->window != NULL) {
        e->heap->tally.n_other_time += n;
    } else {
        e->heap->tally.n_blocks += n;
        count_in_use(e, stack_of(e, word_at(e, 0)), word_at(e, 1), n);
    }
    skip_words(e, e->entry_words);
}

static bool is_in_time(const struct heap *h, uint64_t time_ns)
{
    return h->window == NULL ||
           (time_ns >= h->window->first_ns && time_ns <= h->window->last_ns);
}

static void keep_block(struct heap *h, const struct heap_block *block)
{
    MEMORY_ADD(h->blocks, h->n_blocks, h->block_capacity, *block);
}

static void take_block(struct entries *e)
{
    struct heap_block block = {
        .thread = word_at(e, 3),
        .time_ns = word_at(e, 4),
        .address = word_at(e, 0),
        .size = word_at(e, 1),
    };

    if (!is_in_time(e->heap, block.time_ns)) {
        e->heap->tally.n_other_time++;
    } else {
        e->heap->tally.n_blocks++;
        block.stack = stack_of(e, word_at(e, 2));
        block.weight = heap_weight((double)block.size, e->sample_bytes);
        if (e->heap->with_tags)
            keep_block(e->heap, &block);
        else
            count_in_use(e, block.stack, block.size, 1);
    }
    skip_words(e, e->entry_words);
}

/* ---- Taking ------------------------------------------------------------------------ */

void heap_start_stream(struct heap *h)
{
    h->stream++;
}

static void take_entries(struct entries *e, uint64_t least,
                         void (*take)(struct entries *))
{
    if (e->entry_words < least) {
        e->heap->tally.n_damaged++;
        return;
    }
    while (e->n_words >= e->entry_words)
        take(e);
    e->heap->tally.n_damaged += e->n_words > 0;
}

static struct heap_series *series_of(struct heap *h)
{
    h->series.stream = h->stream;
    h->series.wanted = h->wanted_point;
    h->series.sign = h->takes_off ? -1 : 1;
    h->series.window = h->window;
    return &h->series;
}

void heap_take(struct heap *h, const struct fxt_record *record)
{
    const struct fxt_large_blob *blob = &record->large_blob;
    struct entries e = {
        .heap = h,
        .data = (const unsigned char *)blob->payload.data,
        .n_words = blob->payload.size / FXT_WORD_BYTES,
        .entry_words = record_find_number(record, "entry_words"),
        .process = blob->thread.process,
        .sample_bytes = record_find_number(record, "sample_bytes"),
    };

    bool is_states = fxt_string_is(blob->name, "stack_states");
    bool is_amounts = fxt_string_is(blob->name, "amounts");
    uint64_t version = record_find_number(record, "version");

    if (version == SERIES_VERSION &&
        (is_amounts || is_states || fxt_string_is(blob->name, "stacks"))) {
        heap_series_take(series_of(h), record);
        return;
    }
    if (version != KNOWN_VERSION || is_amounts) {
        h->tally.n_unknown++;
        return;
    }
    if (e.sample_bytes > h->sample_bytes)
        h->sample_bytes = e.sample_bytes;
    if (fxt_string_is(blob->name, "stacks"))
        take_entries(&e, STACK_WORDS, take_stack);
    else if (is_states)
        take_entries(&e, STATE_WORDS, take_state);
    else if (fxt_string_is(blob->name, "groups"))
        take_entries(&e, GROUP_WORDS, take_group);
    else
        take_entries(&e, BLOCK_WORDS, take_block);
}

void heap_take_event(struct heap *h, const struct fxt_record *record)
{
    if (record->unknown || record->kind != FXT_EVENT_INSTANT ||
        !fxt_string_is(record->event.category, "heap"))
        return;
    if (fxt_string_is(record->event.name, "point") &&
        record_find_number(record, "version") == SERIES_VERSION)
        heap_series_take_event(series_of(h), record);
    if (!fxt_string_is(record->event.name, "snapshot"))
        return;
    h->tally.n_lost_blocks += record_find_number(record, "lost_blocks");
    h->tally.lost_bytes += record_find_number(record, "lost_bytes");
    h->tally.n_lost_stacks += record_find_number(record, "lost_stacks");
    h->tally.n_changed += record_find_number(record, "changed");
    h->tally.n_damaged += record_find_number(record, "damaged");
}

void heap_free(struct heap *h)
{
    numbered_stacks_free(&h->known);
    memory_release(h->stacks);
    memory_release(h->blocks);
    heap_series_free(&h->series);
}
