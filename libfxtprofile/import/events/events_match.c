/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See event_list.h. The events that can match each other are brought together, in the
 * order of time, as the struct span_event by which spans are matched, too; those of a
 * thread, or a group of asynchronous ones, have one number in `thread`.
 */
#include "event_list.h"

#include "common/base/memory.h"
#include "common/base/sort.h"
#include "common/spans/span_keys.h"
#include "common/spans/span_match.h"

/* ---- One kind ---------------------------------------------------------------------- */

static bool takes_part(const struct profile_event *event, bool is_async,
                       enum span_kind *kind)
{
    switch (event->kind) {
    case UNMATCHED_BEGIN:
    case UNMATCHED_ASYNC_BEGIN:
        *kind = SPAN_BEGIN;
        return is_async == (event->kind == UNMATCHED_ASYNC_BEGIN);
    case UNMATCHED_END:
    case UNMATCHED_ASYNC_END:
        *kind = SPAN_END;
        return is_async == (event->kind == UNMATCHED_ASYNC_END);
    case PROFILE_EVENT_SPAN:
        *kind = SPAN_COMPLETE;
        return !is_async;
    default:
        return false;
    }
}

/* Asynchronous events that can match each other have one number; so have all of a
 * thread. */
static uint32_t key_of(const struct events *e, struct async_groups *groups,
                       const struct profile_event *event, bool is_async)
{
    const struct span_thread *thread = &e->threads.threads[event->thread];
    struct async_group group = {.stream = thread->stream,
                                .name = event->name,
                                .process = thread->process,
                                .id = event->id};

    return is_async ? async_groups_find(groups, &group) : event->thread;
}

/* The array has room for all events. */
static size_t collect_spans(const struct events *e, bool is_async,
                            struct span_event *spans)
{
    struct async_groups groups = {.n = 0};
    enum span_kind kind;
    size_t n = 0;

    for (uint32_t i = 0; i < e->list.n; i++) {
        const struct profile_event *event = &e->list.events[i];

        if (!takes_part(event, is_async, &kind))
            continue;
        spans[n++] = (struct span_event){.time_ns = event->time_ns,
                                         .end_ns = event->end_ns,
                                         .order = (uint64_t)i << 2 | kind,
                                         .thread = key_of(e, &groups, event, is_async)};
    }
    async_groups_free(&groups);
    return n;
}

static void add_args(struct profile_events *list, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        list->args[list->n_args++] = list->args[first + i];
}

/* The arguments of the end follow those of the begin. */
static void join_args(struct events *e, struct profile_event *begin,
                      const struct profile_event *end)
{
    struct profile_events *list = &e->list;
    size_t n = (size_t)begin->n_args + end->n_args;
    uint32_t first = (uint32_t)list->n_args;

    if (end->n_args == 0)
        return;
    if (n > UINT32_MAX - list->n_args)
        table_too_many();
    list->args = memory_make_room(list->args, list->n_args, n, &e->arg_capacity,
                                  sizeof(*list->args));
    add_args(list, begin->first_arg, begin->n_args);
    add_args(list, end->first_arg, end->n_args);
    begin->first_arg = first;
    begin->n_args = (uint8_t)n;
}

/* `begin` is its place in the list, which is still that in the input. */
static void keep_end_thread(struct events *e, size_t begin, uint32_t thread)
{
    if (e->end_threads == NULL) {
        e->end_threads = (uint32_t *)memory_reserve(e->list.n * sizeof(*e->end_threads));
        for (size_t i = 0; i < e->list.n; i++)
            e->end_threads[i] = PROFILE_NO_EVENT;
    }
    e->end_threads[begin] = thread;
}

static void apply(struct events *e, const struct span_event *span, bool is_async)
{
    struct profile_event *event = &e->list.events[span->order >> 2];

    enum span_kind kind = (enum span_kind)(span->order & 3);

    switch (kind) {
    case SPAN_BEGIN:
    case SPAN_UNCLOSED:
        event->kind = is_async ? PROFILE_EVENT_ASYNC : PROFILE_EVENT_SPAN;
        event->is_unfinished = kind == SPAN_UNCLOSED;
        event->end_ns = span->end_ns;
        break;
    case SPAN_END:
        if (span->end_ns == SPAN_UNMATCHED)
            break;
        join_args(e, &e->list.events[span->end_ns >> 2], event);
        if (is_async)
            keep_end_thread(e, span->end_ns >> 2, event->thread);
        break;
    case SPAN_COMPLETE:
        break;
    }
}

static void match_kind(struct events *e, bool is_async, struct span_event *spans)
{
    size_t n = collect_spans(e, is_async, spans);

    spans_match(&e->tally, spans, n);
    for (size_t i = 0; i < n; i++)
        apply(e, &spans[i], is_async);
}

/* ---- All --------------------------------------------------------------------------- */

static void drop_ends(struct profile_events *list)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->n; i++) {
        if (list->events[i].kind <= PROFILE_EVENT_DROPS)
            list->events[kept++] = list->events[i];
    }
    list->n = kept;
}

/* What encloses another event comes before it. */
SORT_ORDER(order_events, struct profile_event,
           BY(time_ns) || BY_DESCENDING(end_ns) || BY(order));

void events_match(struct events *e)
{
    struct profile_events *list = &e->list;
    struct span_event *spans =
        (struct span_event *)memory_reserve(list->n * sizeof(*spans));

    match_kind(e, false, spans);
    match_kind(e, true, spans);
    memory_release(spans);
    drop_ends(list);
    SORT(list->events, list->n, order_events);
}
