/* SPDX-License-Identifier: BSD-2-Clause */
/* See span_match.h. */
#include "span_match.h"

#include <stdlib.h>

#include "common/base/memory.h"
#include "common/base/sort.h"

int span_order_times(const void *left, const void *right)
{
    const struct span_event *a = (const struct span_event *)left;
    const struct span_event *b = (const struct span_event *)right;

    if (a->time_ns != b->time_ns)
        return order_numbers(a->time_ns, b->time_ns);
    return order_numbers(a->order, b->order);
}

static int order_threads(const void *left, const void *right)
{
    const struct span_event *a = (const struct span_event *)left;
    const struct span_event *b = (const struct span_event *)right;

    if (a->thread != b->thread)
        return order_numbers(a->thread, b->thread);
    return span_order_times(left, right);
}

static uint64_t last_time(const struct span_event *events, size_t n)
{
    uint64_t last = 0;

    for (size_t i = 0; i < n; i++) {
        if (events[i].time_ns > last)
            last = events[i].time_ns;
        if (span_kind_of(&events[i]) == SPAN_COMPLETE && events[i].end_ns > last)
            last = events[i].end_ns;
    }
    return last;
}

/* `begin` is the place of the innermost open begin; NULL if there is none. */
static void match_end(struct span_tally *tally, struct span_event *events,
                      struct span_event *end, const size_t *begin)
{
    tally->n_unopened += begin == NULL;
    end->end_ns = begin != NULL ? events[*begin].order : SPAN_UNMATCHED;
    if (begin != NULL)
        events[*begin].end_ns = end->time_ns;
}

static void match_ends(struct span_tally *tally, struct span_event *events, size_t n)
{
    size_t *open = (size_t *)memory_allocate(n * sizeof(*open));
    uint64_t last = last_time(events, n);
    size_t n_open = 0;

    for (size_t i = 0; i < n; i++) {
        if (span_kind_of(&events[i]) == SPAN_BEGIN)
            open[n_open++] = i;
        else if (span_kind_of(&events[i]) == SPAN_END)
            match_end(tally, events, &events[i], n_open > 0 ? &open[--n_open] : NULL);
    }
    tally->n_unclosed += n_open;
    while (n_open > 0) {
        struct span_event *begin = &events[open[--n_open]];

        begin->end_ns = last;
        begin->order |= SPAN_UNCLOSED;
    }
    memory_release(open);
}

static bool are_sorted(const struct span_event *events, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (order_threads(&events[i - 1], &events[i]) > 0)
            return false;
    }
    return true;
}

void spans_match(struct span_tally *tally, struct span_event *events, size_t n)
{
    size_t last;

    if (!are_sorted(events, n))
        qsort(events, n, sizeof(*events), order_threads);
    for (size_t first = 0; first < n; first = last) {
        for (last = first + 1; last < n && events[last].thread == events[first].thread;)
            last++;
        match_ends(tally, events + first, last - first);
    }
}
