/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of events: slices, instants, asynchronous operations, flows and counters. */
#include "events.h"

#include <string.h>

#include "common/base/memory.h"

bool event_arg_is_value(const struct fxt_profile_event_arg *arg, double *value)
{
    switch (arg->type) {
    case FXT_ARG_INT32:
    case FXT_ARG_INT64:
        *value = (double)(int64_t)arg->number;
        return true;
    case FXT_ARG_UINT32:
    case FXT_ARG_UINT64:
        *value = (double)arg->number;
        return true;
    case FXT_ARG_DOUBLE:
        memcpy(value, &arg->number, sizeof(*value));
        return *value - *value == 0;
    default:
        return false;
    }
}

bool events_next(struct event_walk *w, const struct producer *p)
{
    while (!p->has_failed &&
           fxt_profile_get_event(p->profile, w->next, &w->event) == FXT_OK) {
        w->index = w->next++;
        if ((1U << w->event.kind & w->kinds) != 0)
            return true;
    }
    return false;
}

static struct cell id_cell(const struct event_walk *w)
{
    return cell_int((int64_t)w->index);
}

static struct cell args_cell(const struct event_walk *w)
{
    return w->event.n_args > 0 ? id_cell(w) : cell_null();
}

static struct cell thread_cell(const struct producer *p, uint32_t thread)
{
    return cell_id(p->threads.of_event_threads[thread]);
}

static struct cell duration_cell(const struct event_walk *w)
{
    return cell_duration(w->event.end_ns - w->event.time_ns);
}

/* ---- Each kind --------------------------------------------------------------------- */

void produce_slices(struct producer *p)
{
    struct event_walk w = {.kinds = EVENTS_OF(SPAN)};

    while (events_next(&w, p)) {
        const struct fxt_profile_event *e = &w.event;
        struct fxt_profile_nesting nesting;

        fxt_profile_get_nesting(p->profile, w.index, &nesting);
        PRODUCE_ROW(p, SCHEMA_SLICE, id_cell(&w), cell_time(p, e->time_ns),
                    duration_cell(&w), thread_cell(p, e->thread), cell_string(p, e->name),
                    cell_string(p, e->category), cell_int(nesting.depth),
                    cell_index(nesting.parent), cell_duration(nesting.self_ns),
                    cell_int(e->is_unfinished), args_cell(&w));
    }
}

void produce_instants(struct producer *p)
{
    struct event_walk w = {.kinds = EVENTS_OF(INSTANT) | EVENTS_OF(ASYNC_INSTANT) |
                                    EVENTS_OF(LOG)};

    while (events_next(&w, p)) {
        const struct fxt_profile_event *e = &w.event;
        bool is_async = e->kind == FXT_PROFILE_EVENT_ASYNC_INSTANT;

        PRODUCE_ROW(p, SCHEMA_INSTANT, id_cell(&w), cell_time(p, e->time_ns),
                    thread_cell(p, e->thread), cell_string(p, e->name),
                    cell_string(p, e->category),
                    cell_word(is_async                           ? "async"
                              : e->kind == FXT_PROFILE_EVENT_LOG ? "log"
                                                                 : "instant"),
                    is_async ? cell_uint(e->id) : cell_null(), args_cell(&w));
    }
}

void produce_async(struct producer *p)
{
    struct event_walk w = {.kinds = EVENTS_OF(ASYNC)};

    while (events_next(&w, p)) {
        const struct fxt_profile_event *e = &w.event;

        PRODUCE_ROW(p, SCHEMA_ASYNC, id_cell(&w), cell_time(p, e->time_ns),
                    duration_cell(&w), thread_cell(p, e->thread),
                    thread_cell(p, e->end_thread), cell_string(p, e->name),
                    cell_string(p, e->category), cell_uint(e->id),
                    cell_int(e->is_unfinished), args_cell(&w));
    }
}

/* ---- Flows ------------------------------------------------------------------------- */

static const char *flow_word(enum fxt_profile_event_kind kind)
{
    if (kind == FXT_PROFILE_EVENT_FLOW_BEGIN)
        return "begin";
    return kind == FXT_PROFILE_EVENT_FLOW_STEP ? "step" : "end";
}

/* The innermost span that has not ended, of those that were open when the last one of
 * that thread began. */
static uint32_t find_open(const struct producer *p, uint32_t last, uint64_t time_ns)
{
    struct fxt_profile_event event;
    struct fxt_profile_nesting nesting;

    while (last != FXT_PROFILE_NONE) {
        fxt_profile_get_event(p->profile, last, &event);
        if (event.end_ns >= time_ns)
            return last;
        fxt_profile_get_nesting(p->profile, last, &nesting);
        last = nesting.parent;
    }
    return FXT_PROFILE_NONE;
}

static void produce_flow(struct producer *p, const struct event_walk *w, uint32_t slice)
{
    const struct fxt_profile_event *e = &w->event;

    PRODUCE_ROW(p, SCHEMA_FLOW, id_cell(w), cell_time(p, e->time_ns),
                thread_cell(p, e->thread), cell_index(slice),
                cell_word(flow_word(e->kind)), cell_index(e->flow), cell_uint(e->id),
                cell_string(p, e->name), cell_string(p, e->category), args_cell(w));
}

/* Spans that end are forgotten, so that each is passed once. */
void produce_flows(struct producer *p)
{
    struct event_walk w = {.kinds = EVENTS_OF(SPAN) | EVENTS_OF(FLOW_BEGIN) |
                                    EVENTS_OF(FLOW_STEP) | EVENTS_OF(FLOW_END)};
    size_t n_threads = fxt_profile_n_event_threads(p->profile);
    uint32_t *open = (uint32_t *)memory_reserve(n_threads * sizeof(*open));

    for (size_t i = 0; i < n_threads; i++)
        open[i] = FXT_PROFILE_NONE;
    while (events_next(&w, p)) {
        uint32_t *of_thread = &open[w.event.thread];

        if (w.event.kind == FXT_PROFILE_EVENT_SPAN) {
            *of_thread = (uint32_t)w.index;
            continue;
        }
        *of_thread = find_open(p, *of_thread, w.event.time_ns);
        produce_flow(p, &w, *of_thread);
    }
    memory_release(open);
}

/* ---- Counters ---------------------------------------------------------------------- */

static uint32_t upid_of(const struct producer *p, uint32_t thread)
{
    uint32_t utid = p->threads.of_event_threads[thread];

    return utid != 0 ? p->threads.threads[utid - 1].upid : 0;
}

void produce_counters(struct producer *p)
{
    struct event_walk w = {.kinds = EVENTS_OF(COUNTER)};

    while (events_next(&w, p)) {
        const struct fxt_profile_event *e = &w.event;

        for (uint32_t i = 0; i < e->n_args; i++) {
            struct fxt_profile_event_arg arg;
            double value;

            fxt_profile_get_event_arg(p->profile, w.index, i, &arg);
            if (!event_arg_is_value(&arg, &value))
                continue;
            PRODUCE_ROW(p, SCHEMA_COUNTER, cell_time(p, e->time_ns),
                        cell_id(upid_of(p, e->thread)), cell_string(p, e->name),
                        cell_string(p, arg.name), cell_string(p, e->category),
                        cell_uint(e->id), cell_double(value));
        }
    }
}
