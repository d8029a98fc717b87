/* SPDX-License-Identifier: BSD-2-Clause */
/* See collect.h: what becomes samples only when all streams have been read. */
#include "collect.h"

#include "events/events.h"
#include "stack_blobs/blob_unwind.h"
#include "time_labels.h"

/* ---- Spans ------------------------------------------------------------------------- */

static void take_span_time(void *context, const struct span_thread *thread,
                           const uint64_t *stack, size_t n, uint64_t from_ns,
                           uint64_t to_ns, uint64_t n_begun)
{
    struct collect *c = (struct collect *)context;
    struct profile_labels labels = {
        .process = thread->process, .thread = thread->thread, .cpu = PROFILE_NO_CPU};
    uint64_t ns = time_window_length(c->window, from_ns, to_ns);
    int64_t values[PROFILE_TYPES_MAX] = {0};

    c->tally.other_time_ns += to_ns - from_ns - ns;
    if (c->window != NULL &&
        (from_ns < c->window->first_ns || from_ns > c->window->last_ns)) {
        c->tally.n_other_time += n_begun;
        n_begun = 0;
    }
    if (n_begun == 0 && ns == 0)
        return;
    c->tally.n_samples += n_begun;
    if (c->builder->profile.has_times)
        labels.time_ns = from_ns;
    time_labels_set_names(&c->builder->profile.koid_names, &labels, from_ns, UINT64_MAX);
    values[0] = (int64_t)n_begun;
    values[1] = ns <= INT64_MAX ? (int64_t)ns : INT64_MAX;
    c->tally.n_long += ns > INT64_MAX;
    profile_builder_add(c->builder, &labels, &(struct fxt_words){stack, n, false},
                        values);
}

static void finish_spans(struct collect *c)
{
    if (c->spans == NULL)
        return;
    spans_finish(c->spans, take_span_time, c, &c->builder->n_stack_frames);
    c->tally.spans = c->spans->tally;
    c->builder->profile.is_of_spans = true;
    c->builder->pc_names = c->spans->names;
    c->spans->names = (struct string_table){.n = 0};
}

/* ---- Waits ------------------------------------------------------------------------- */

static void finish_waits(struct collect *c)
{
    struct waits_output output = {
        .builder = c->builder, .epochs = &c->modules->epochs, .window = c->window};

    if (c->waits == NULL)
        return;
    c->builder->profile.is_of_waits = true;
    c->builder->profile.is_of_wakeups = c->waits->of_wakeups;
    waits_finish(c->waits, &output);
    c->tally.waits = c->waits->tally;
    c->tally.n_samples += output.n_waits;
    c->tally.n_other_time += output.n_other_time;
    c->tally.other_time_ns += output.other_time_ns;
    c->tally.n_long += output.n_long;
}

/* ---- Heaps, raw stacks, events ----------------------------------------------------- */

/* The profile is of heaps if it is not of samples, spans or waits. */
static void finish_heap(struct collect *c)
{
    struct tally *t = &c->tally;

    if (c->heap == NULL)
        return;
    heap_settle(c->heap);
    t->heap = c->heap->tally;
    if (!heap_has_any(c->heap) || (heap_is_series(c->heap) && c->only_heap_counters))
        return;
    if (c->spans != NULL || c->waits != NULL || t->n_samples > 0)
        t->n_only_heap = c->heap->tally.n_blocks;
    else
        t->n_samples = heap_finish(c->heap, &c->modules->epochs, c->builder);
}

static void finish_blobs(struct collect *c, struct symbolizer *symbolizer)
{
    struct blob_unwinding unwinding = {c->blobs,   c->modules, symbolizer,
                                       c->builder, c->values,  &c->tally.blobs};

    c->tally.n_samples += blob_unwind(&unwinding);
}

static void finish_events(struct collect *c)
{
    struct profile *p = &c->builder->profile;

    if (c->events == NULL)
        return;
    events_finish(c->events, &p->events);
    if (c->nests_events)
        events_nest(&p->events, c->events->end_threads);
    c->tally.spans = c->events->tally;
    p->is_timeline = true;
}

/* ---- All of it --------------------------------------------------------------------- */

void collect_finish(struct collect *c, struct symbolizer *symbolizer)
{
    c->tally.n_other_boots = c->recording.n_other_boots;
    koid_names_finish(&c->builder->profile.koid_names);
    finish_blobs(c, symbolizer);
    time_labels_separate(c->builder, &c->modules->epochs, c->values);
    finish_waits(c);
    finish_heap(c);
    finish_events(c);
    finish_spans(c);
}
