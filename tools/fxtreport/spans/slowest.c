/* SPDX-License-Identifier: BSD-2-Clause */
/* See slowest.h. All events are looked at once, for each of a few spans. */
#include "slowest.h"

#include "common/base/memory.h"
#include "common/base/sort.h"
#include "tools/fxtreport/order.h"

/* ---- Parts ------------------------------------------------------------------------- */

static void add_part(struct slow_parts *parts, struct slow_part part)
{
    MEMORY_ADD(parts->parts, parts->n, parts->capacity, part);
}

SORT_ORDER(order_same, struct slow_part,
           BY(thread) || BY_ORDER(order_strings(a->name, b->name)));

SORT_ORDER(order_largest, struct slow_part,
           BY_DESCENDING(ns) || BY_DESCENDING(count) || BY_ORDER(order_same(a, b)));

/* Adds up those that are the same. */
static void finish_parts(struct slow_parts *parts)
{
    size_t n = 0;

    if (parts->n == 0)
        return;
    SORT(parts->parts, parts->n, order_same);
    for (size_t i = 0; i < parts->n; i++) {
        const struct slow_part *part = &parts->parts[i];

        if (n > 0 && order_same(&parts->parts[n - 1], part) == 0) {
            parts->parts[n - 1].count += part->count;
            parts->parts[n - 1].ns = span_sum(parts->parts[n - 1].ns, part->ns);
        } else {
            parts->parts[n++] = *part;
        }
    }
    parts->n = n;
    SORT(parts->parts, n, order_largest);
}

/* ---- Events ------------------------------------------------------------------------ */

/* For how long an event was in a span. */
static uint64_t overlap(const struct slow_span *span, uint64_t from_ns, uint64_t to_ns)
{
    from_ns = from_ns > span->event.time_ns ? from_ns : span->event.time_ns;
    to_ns = to_ns < span->event.end_ns ? to_ns : span->event.end_ns;
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

uint64_t slowest_waker(const struct fxt_profile *profile, uint32_t event)
{
    struct fxt_profile_event_arg arg;

    for (uint32_t i = 0; fxt_profile_get_event_arg(profile, event, i, &arg) == FXT_OK;
         i++) {
        if (fxt_string_is(arg.name, "woken by"))
            return arg.number;
    }
    return 0;
}

/* Of all threads, when scheduling records of it begin and end. */
struct known_times {
    uint64_t from_ns;
    uint64_t to_ns;
};

static void take_off_cpu(const struct fxt_profile *profile, struct slow_span *span,
                         uint32_t index, const struct fxt_profile_event *event)
{
    uint64_t ns = overlap(span, event->time_ns, event->end_ns);
    uint64_t waker;

    if (fxt_string_is(event->name, "runnable")) {
        span->wait_ns += ns;
        return;
    }
    span->blocked_ns += ns;
    waker = slowest_waker(profile, index);
    if (waker != 0 && event->end_ns > span->event.time_ns &&
        event->end_ns <= span->event.end_ns)
        add_part(&span->wakers,
                 (struct slow_part){.thread = waker, .count = 1, .ns = ns});
}

static void take_event(struct slowest *s, const struct span_threads *threads,
                       uint32_t index, const struct fxt_profile_event *event)
{
    struct fxt_profile_nesting nesting = {.parent = FXT_PROFILE_NONE};
    uint32_t thread = threads->first[event->thread];

    if (event->kind == FXT_PROFILE_EVENT_SPAN)
        fxt_profile_get_nesting(threads->profile, index, &nesting);
    for (size_t i = 0; i < s->n; i++) {
        struct slow_span *span = &s->spans[i];

        if (event->kind == FXT_PROFILE_EVENT_SPAN && nesting.parent == span->index)
            add_part(
                &span->children,
                (struct slow_part){.name = event->name,
                                   .count = 1,
                                   .ns = overlap(span, event->time_ns, event->end_ns)});
        if (event->kind == FXT_PROFILE_EVENT_OFF_CPU &&
            threads->first[span->event.thread] == thread)
            take_off_cpu(threads->profile, span, index, event);
    }
}

static void take_times(struct known_times *known, const struct fxt_profile_event *event)
{
    if (known->from_ns > event->time_ns)
        known->from_ns = event->time_ns;
    if (known->to_ns < event->end_ns)
        known->to_ns = event->end_ns;
}

static void take_events(struct slowest *s, const struct span_threads *threads)
{
    size_t n = fxt_profile_n_events(threads->profile);
    struct known_times *known = memory_allocate(threads->n * sizeof(*known));

    for (size_t i = 0; i < threads->n; i++)
        known[i].from_ns = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        struct fxt_profile_event event;

        fxt_profile_get_event(threads->profile, i, &event);
        if (event.kind == FXT_PROFILE_EVENT_OFF_CPU)
            take_times(&known[threads->first[event.thread]], &event);
        if (event.kind == FXT_PROFILE_EVENT_SPAN ||
            event.kind == FXT_PROFILE_EVENT_OFF_CPU)
            take_event(s, threads, (uint32_t)i, &event);
    }
    for (size_t i = 0; i < s->n; i++) {
        struct slow_span *span = &s->spans[i];
        const struct known_times *times = &known[threads->first[span->event.thread]];
        uint64_t known_ns = overlap(span, times->from_ns, times->to_ns);
        uint64_t off_ns = span_sum(span->wait_ns, span->blocked_ns);

        span->is_scheduled = times->from_ns <= times->to_ns;
        span->run_ns = known_ns > off_ns ? known_ns - off_ns : 0;
        span->unknown_ns = span->event.end_ns - span->event.time_ns - known_ns;
    }
}

/* ---- Samples ----------------------------------------------------------------------- */

static struct fxt_string leaf_of(const struct fxt_profile *profile, uint32_t number)
{
    struct fxt_profile_function function;
    struct fxt_profile_location location;
    struct fxt_profile_stack stack;
    struct fxt_profile_line line;

    fxt_profile_get_stack(profile, number, &stack);
    fxt_profile_get_location(profile, stack.locations[0], &location);
    fxt_profile_get_line(profile, location.first_line, &line);
    fxt_profile_get_function(profile, line.function, &function);
    return function.name;
}

static void take_moment(struct slowest *s, const struct span_threads *threads,
                        const struct fxt_profile_moment *moment)
{
    struct fxt_profile_sample sample;
    uint32_t thread;

    fxt_profile_get_sample(threads->profile, moment->sample, &sample);
    thread = span_threads_find(threads, sample.boot, sample.process, sample.thread);
    for (size_t i = 0; i < s->n; i++) {
        struct slow_span *span = &s->spans[i];

        if (thread == FXT_PROFILE_NONE || moment->time_ns < span->event.time_ns ||
            moment->time_ns >= span->event.end_ns ||
            threads->first[span->event.thread] != thread)
            continue;
        span->n_samples++;
        add_part(&span->functions,
                 (struct slow_part){.name = leaf_of(threads->profile, sample.stack),
                                    .count = 1});
    }
}

static void take_moments(struct slowest *s, const struct span_threads *threads)
{
    size_t n = fxt_profile_n_moments(threads->profile);

    for (size_t i = 0; i < n; i++) {
        struct fxt_profile_moment moment;

        fxt_profile_get_moment(threads->profile, i, &moment);
        take_moment(s, threads, &moment);
    }
}

/* ---- All --------------------------------------------------------------------------- */

void slowest_make(struct slowest *s, const struct span_set *set,
                  const struct span_threads *threads)
{
    *s = (struct slowest){.n = set->n < SLOWEST_MAX ? set->n : SLOWEST_MAX};
    for (size_t i = 0; i < s->n; i++) {
        struct slow_span *span = &s->spans[i];

        span->index = set->all[set->n - 1 - i].event;
        fxt_profile_get_event(set->profile, span->index, &span->event);
        fxt_profile_get_nesting(set->profile, span->index, &span->nesting);
    }
    take_events(s, threads);
    take_moments(s, threads);
    for (size_t i = 0; i < s->n; i++) {
        finish_parts(&s->spans[i].children);
        finish_parts(&s->spans[i].wakers);
        finish_parts(&s->spans[i].functions);
    }
}
