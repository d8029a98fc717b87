/* SPDX-License-Identifier: BSD-2-Clause */
/* See heap_snapshot.h: what was taken becomes a profile. */
#include "heap_snapshot.h"

#include <math.h>

#include <fxt/format.h>

bool heap_has_any(const struct heap *h)
{
    return h->n_stacks > 0 || heap_is_series(h);
}

bool heap_is_series(const struct heap *h)
{
    return h->series.n_points > 0;
}

/* What was lost up to the point that is shown; and of that, the blocks. */
void heap_settle(struct heap *h)
{
    struct heap_series *s = &h->series;

    heap_series_settle(s);
    h->tally.n_damaged += s->n_damaged;
    if (s->sample_bytes > h->sample_bytes)
        h->sample_bytes = s->sample_bytes;
    h->has_temporary |= s->has_temporary;
    for (size_t i = 0; i < s->n_heaps; i++) {
        const struct series_state *state = &s->heaps[i].shown;

        if (!s->heaps[i].is_in_view)
            continue;
        h->tally.n_lost_blocks += state->n_lost_blocks;
        h->tally.lost_bytes += state->lost_bytes;
        h->tally.n_lost_stacks += state->n_lost_stacks;
        h->tally.n_changed += state->n_changed;
        h->tally.n_damaged += state->n_damaged;
    }
    for (size_t i = 0; i < s->n_stacks; i++) {
        if (s->heaps[s->known.all[i].owner.number].is_in_view)
            h->tally.n_blocks += s->stacks[i].shown.objects;
    }
}

/* ---- The profile ------------------------------------------------------------------- */

static int64_t to_value(double value)
{
    return value < 9.2e18 ? (int64_t)llround(value) : INT64_MAX;
}

/* A stack that has the time of its PCs belongs to what was mapped then. */
static void add_sample(const struct heap *h, const struct epochs *epochs,
                       struct profile_builder *b, const struct profile_labels *labels,
                       size_t number, const int64_t *values)
{
    const struct numbered_stack *stack = &h->known.all[number];
    int64_t signed_values[PROFILE_TYPES_MAX] = {0};
    struct fxt_words pcs = {h->known.pcs + stack->first_pc, stack->n_pcs, false};

    for (uint32_t i = 0; i < b->profile.n_types; i++)
        signed_values[i] = h->stacks[number].sign * values[i];
    if (stack->time_ns > 0)
        profile_builder_add_in_epoch(
            b, labels, &pcs, epochs_find(epochs, stack->owner.number, stack->time_ns),
            signed_values);
    else
        profile_builder_add(b, labels, &pcs, signed_values);
    if (stack->end != FXT_STACK_END_UNKNOWN)
        profile_builder_set_end(b, stack->end);
}

/* What a stack has allocated belongs to no single block. */
static uint64_t add_stack_sample(const struct heap *h, const struct epochs *epochs,
                                 struct profile_builder *b, size_t i)
{
    const struct heap_stack *stack = &h->stacks[i];
    struct profile_labels labels = {.process = h->known.all[i].owner.number,
                                    .cpu = PROFILE_NO_CPU};
    int64_t values[] = {to_value(stack->objects), to_value(stack->bytes),
                        to_value(stack->alloc_objects), to_value(stack->alloc_bytes),
                        to_value(stack->temporary)};

    add_sample(h, epochs, b, &labels, i, values);
    return (uint64_t)values[0];
}

static uint64_t add_block_sample(const struct heap *h, const struct epochs *epochs,
                                 struct profile_builder *b, size_t i)
{
    const struct heap_block *block = &h->blocks[i];
    struct profile_labels labels = {.process = h->known.all[block->stack].owner.number,
                                    .thread = block->thread,
                                    .cpu = PROFILE_NO_CPU,
                                    .time_ns = block->time_ns};
    int64_t values[] = {to_value(block->weight),
                        to_value(block->weight * (double)block->size), 0, 0, 0};

    labels.tag =
        profile_builder_add_tag(b, (struct profile_tag){block->address, block->size});
    add_sample(h, epochs, b, &labels, block->stack, values);
    return (uint64_t)values[0];
}

/* Returns the number of objects. A stack belongs to what was mapped when it was new. */
static uint64_t add_series_sample(const struct heap *h, const struct epochs *epochs,
                                  struct profile_builder *b, size_t i)
{
    const struct heap_series *s = &h->series;
    const struct numbered_stack *stack = &s->known.all[i];
    const struct series_heap *heap = &s->heaps[stack->owner.number];
    const struct heap_amounts *shown = &s->stacks[i].shown;
    struct profile_labels labels = {.process = heap->process, .cpu = PROFILE_NO_CPU};
    struct fxt_words pcs = {s->known.pcs + stack->first_pc, stack->n_pcs, false};
    int sign = heap_series_stream(s, heap)->sign;
    int64_t values[PROFILE_TYPES_MAX] = {
        sign * (int64_t)shown->objects, sign * (int64_t)shown->bytes,
        sign * (int64_t)shown->alloc_objects, sign * (int64_t)shown->alloc_bytes,
        sign * (int64_t)shown->temporary};

    if (!h->all_stacks &&
        (!heap->is_in_view || (shown->objects | shown->bytes | shown->alloc_objects |
                               shown->alloc_bytes) == 0))
        return 0;
    profile_builder_add_in_epoch(
        b, &labels, &pcs, epochs_find(epochs, heap->process, stack->time_ns), values);
    if (stack->end != FXT_STACK_END_UNKNOWN)
        profile_builder_set_end(b, stack->end);
    return shown->objects;
}

static void note_processes(const struct heap *h, struct profile *p)
{
    const struct heap_series *s = &h->series;
    uint64_t first = h->known.n > 0 ? h->known.all[0].owner.number : 0;

    for (size_t i = 1; i < h->known.n; i++)
        p->has_processes |= h->known.all[i].owner.number != first;
    for (size_t i = 0; i < s->n_heaps; i++) {
        if (!s->heaps[i].is_in_view)
            continue;
        first = first != 0 ? first : s->heaps[i].process;
        p->has_processes |= s->heaps[i].process != first;
    }
}

static void choose_types(const struct heap *h, struct profile_builder *b)
{
    struct profile *p = &b->profile;
    bool has_allocated = heap_is_series(h);

    for (size_t i = 0; i < h->n_stacks; i++)
        has_allocated |= h->stacks[i].alloc_objects > 0;
    p->n_types = 0;
    profile_builder_add_type(b, "inuse_objects", "count");
    profile_builder_add_type(b, "inuse_space", "bytes");
    if (has_allocated) {
        profile_builder_add_type(b, "alloc_objects", "count");
        profile_builder_add_type(b, "alloc_space", "bytes");
        if (h->has_temporary)
            profile_builder_add_type(b, "temporary_objects", "count");
    }
    p->default_type = 1;
    p->period_type = (struct profile_type){"space", "bytes"};
    p->period = h->sample_bytes > 0 ? h->sample_bytes : 1;
    p->is_of_heap = true;
    note_processes(h, p);
}

/* The points are the profile's from here on. */
static void give_points(struct heap *h, struct profile *p)
{
    p->heap_points = h->series.points;
    p->n_heap_points = h->series.n_points;
    h->series.points = NULL;
    h->series.n_points = 0;
}

uint64_t heap_finish(struct heap *h, const struct epochs *epochs,
                     struct profile_builder *b)
{
    uint64_t n = 0;

    choose_types(h, b);
    for (size_t i = 0; i < h->n_stacks; i++)
        n += add_stack_sample(h, epochs, b, i);
    for (size_t i = 0; i < h->n_blocks; i++)
        n += add_block_sample(h, epochs, b, i);
    for (size_t i = 0; i < h->series.n_stacks; i++)
        n += add_series_sample(h, epochs, b, i);
    give_points(h, &b->profile);
    return n;
}
