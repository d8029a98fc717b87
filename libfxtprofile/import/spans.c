/* SPDX-License-Identifier: BSD-2-Clause */
/* See spans.h: keeping events until all are there. */
#include "spans.h"

#include <fxt/format.h>

#include "common/base/sort.h"
#include "spans_nest.h"

void spans_start_stream(struct spans *s)
{
    s->stream++;
}

/* ---- Events ------------------------------------------------------------------------ */

static void add_event(struct spans *s, const struct fxt_record *record,
                      enum span_kind kind)
{
    const struct fxt_event *from = &record->event;
    uint64_t rate = record->provider->ticks_per_second;
    struct span_thread thread;
    struct span_event event = {.order = (uint64_t)s->n_events << 2 | kind};

    if (kind == SPAN_COMPLETE && from->end_timestamp < from->timestamp) {
        s->tally.n_backwards++;
        return;
    }
    s->tally.n_late += !fxt_ticks_to_ns(from->timestamp, rate, &event.time_ns);
    if (kind == SPAN_COMPLETE)
        s->tally.n_late += !fxt_ticks_to_ns(from->end_timestamp, rate, &event.end_ns);
    thread = span_thread_of(&from->thread, s->stream);
    event.thread = span_thread_set_find(&s->threads, &thread);
    event.name = kind != SPAN_END ? span_add_name(&s->names, &s->name, from) : 0;
    MEMORY_ADD(s->events, s->n_events, s->event_capacity, event);
}

void spans_take(struct spans *s, const struct fxt_record *record)
{
    if (record->type != FXT_RECORD_EVENT || record->unknown)
        return;
    switch (record->kind) {
    case FXT_EVENT_DURATION_BEGIN:
        add_event(s, record, SPAN_BEGIN);
        break;
    case FXT_EVENT_DURATION_END:
        add_event(s, record, SPAN_END);
        break;
    case FXT_EVENT_DURATION_COMPLETE:
        add_event(s, record, SPAN_COMPLETE);
        break;
    case FXT_EVENT_ASYNC_BEGIN:
    case FXT_EVENT_ASYNC_INSTANT:
    case FXT_EVENT_ASYNC_END:
        s->tally.n_async++;
        break;
    case FXT_EVENT_FLOW_BEGIN:
    case FXT_EVENT_FLOW_STEP:
    case FXT_EVENT_FLOW_END:
        s->tally.n_flow++;
        break;
    default:
        break;
    }
}

/* ---- The end ----------------------------------------------------------------------- */

/* Nothing is to depend on which name came first. */
static void sort_names(struct spans *s)
{
    uint32_t *numbers = string_table_sort(&s->names);

    for (size_t i = 0; i < s->n_events; i++) {
        if ((s->events[i].order & 3) != SPAN_END)
            s->events[i].name = numbers[s->events[i].name];
    }
    memory_release(numbers);
}

SORT_ORDER(order_threads, struct span_event, BY(thread) || BY(order));

void spans_finish(struct spans *s, spans_emit_fn *emit, void *context,
                  const size_t *n_frames)
{
    size_t first = 0;

    sort_names(s);
    SORT(s->events, s->n_events, order_threads);
    while (first < s->n_events) {
        uint32_t thread = s->events[first].thread;
        size_t last = first;

        while (last < s->n_events && s->events[last].thread == thread)
            last++;
        spans_nest(&s->tally, &s->threads.threads[thread], s->events + first,
                   last - first, emit, context, n_frames);
        first = last;
    }
    memory_release(s->events);
    s->events = NULL;
    s->n_events = 0;
    s->event_capacity = 0;
}

void spans_free(struct spans *s)
{
    memory_release(s->events);
    span_thread_set_free(&s->threads);
    string_table_free(&s->names);
    text_free(&s->name);
}
