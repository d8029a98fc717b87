/* SPDX-License-Identifier: BSD-2-Clause */
/* See span_match.h. */
#include "span_match.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/sort.h"

int span_order_times(const void *left, const void *right)
{
    const struct span_event *a = (const struct span_event *)left;
    const struct span_event *b = (const struct span_event *)right;

    return order_pairs(a->time_ns, b->time_ns, a->order, b->order);
}

static int order_threads(const struct span_event *a, const struct span_event *b)
{
    if (a->thread != b->thread)
        return order_numbers(a->thread, b->thread);
    return span_order_times(a, b);
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
    size_t *open = memory_allocate(n * sizeof(*open));
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

/* ---- Sorting ----------------------------------------------------------------------- */

static void sort_few(struct span_event *events, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct span_event event = events[i];
        size_t to = i;

        for (; to > 0 && order_threads(&events[to - 1], &event) > 0; to--)
            events[to] = events[to - 1];
        events[to] = event;
    }
}

/* Both halves are sorted; `room` has room for the first one. */
static void merge_halves(struct span_event *events, size_t n_first, size_t n,
                         struct span_event *room)
{
    size_t second = n_first;
    size_t to = 0;

    memcpy(room, events, n_first * sizeof(*events));
    for (size_t first = 0; first < n_first;) {
        if (second < n && order_threads(&events[second], &room[first]) < 0)
            events[to++] = events[second++];
        else
            events[to++] = room[first++];
    }
}

/* Complete spans that are written when they end are nearly in order: most halves need not
 * be merged. */
static void sort_events(struct span_event *events, size_t n, struct span_event *room)
{
    enum { FEW = 8 };
    size_t n_first = n / 2;

    if (n <= FEW) {
        sort_few(events, n);
        return;
    }
    sort_events(events, n_first, room);
    sort_events(events + n_first, n - n_first, room);
    if (order_threads(&events[n_first - 1], &events[n_first]) > 0)
        merge_halves(events, n_first, n, room);
}

static bool are_sorted(const struct span_event *events, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (order_threads(&events[i - 1], &events[i]) > 0)
            return false;
    }
    return true;
}

static void sort_if_needed(struct span_event *events, size_t n)
{
    struct span_event *room;

    if (are_sorted(events, n))
        return;
    room = (struct span_event *)memory_reserve(n / 2 * sizeof(*room));
    sort_events(events, n, room);
    memory_release(room);
}

/* ---- All --------------------------------------------------------------------------- */

void spans_match(struct span_tally *tally, struct span_event *events, size_t n)
{
    size_t last;

    sort_if_needed(events, n);
    for (size_t first = 0; first < n; first = last) {
        for (last = first + 1; last < n && events[last].thread == events[first].thread;)
            last++;
        match_ends(tally, events + first, last - first);
    }
}
