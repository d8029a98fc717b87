/* SPDX-License-Identifier: BSD-2-Clause */
/* See html_events.h. */
#include "html_events.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/quote.h"
#include "common/base/sort.h"
#include "common/base/table_items.h"

/* ---- Strings and labels ------------------------------------------------------------ */

uint32_t html_events_string(struct html_events *e, struct html_tables *tables,
                            uint32_t number)
{
    struct string string = string_table_get(&e->list->strings, number);
    struct text text = {NULL, 0, 0};

    if (e->strings[number] == 0) {
        quote_utf8(&text, string.data, string.size);
        e->strings[number] =
            1 + html_tables_string(tables, (struct string){text.data, text.size});
        text_free(&text);
    }
    return e->strings[number] - 1;
}

static void find_labels(struct html_events *e, struct html_tables *tables)
{
    e->labels_of = (uint32_t *)memory_reserve(e->list->n * sizeof(*e->labels_of));
    for (size_t i = 0; i < e->list->n; i++) {
        const struct profile_event *event = &e->list->events[i];
        struct html_label label = {.name = 0};

        if (event->kind == PROFILE_EVENT_OFF_CPU || event->kind == PROFILE_EVENT_DROPS)
            continue;
        label.name = html_events_string(e, tables, event->name);
        label.category = html_events_string(e, tables, event->category);
        e->labels_of[i] = TABLE_PUT(&e->label_table, e->labels, e->n_labels,
                                    e->label_capacity, &label, name, category);
    }
}

/* ---- Threads ----------------------------------------------------------------------- */

SORT_ORDER(order_threads, struct html_thread, BY(lane) || BY(number));

/* The threads that have events, in the order of the lanes. */
static void place_threads(struct html_events *e, const struct tracks *tracks)
{
    size_t n = e->list->n_threads;

    e->places = (uint32_t *)memory_reserve(n * sizeof(*e->places));
    e->homes = (uint32_t *)memory_reserve(n * sizeof(*e->homes));
    e->threads = memory_allocate(n * sizeof(*e->threads));
    for (uint32_t i = 0; i < n; i++) {
        e->places[i] = e->homes[i] = HTML_NO_THREAD;
        if (tracks->of_threads[i] == HTML_NO_THREAD)
            continue;
        e->threads[e->n_threads].lane = tracks->of_threads[i];
        e->threads[e->n_threads++].number = i;
    }
    SORT(e->threads, e->n_threads, order_threads);
    for (uint32_t i = 0; i < e->n_threads; i++)
        e->places[e->threads[i].number] = i;
}

/* After the slices were counted: of each lane, the first thread that has some, or else
 * the first. */
static void choose_homes(struct html_events *e)
{
    size_t last;

    for (size_t first = 0; first < e->n_threads; first = last) {
        uint32_t home = HTML_NO_THREAD;

        for (last = first; last < e->n_threads; last++) {
            if (e->threads[last].lane != e->threads[first].lane)
                break;
            if (home == HTML_NO_THREAD && e->threads[last].n[HTML_SLICES] > 0)
                home = (uint32_t)last;
        }
        for (size_t i = first; i < last; i++)
            e->homes[e->threads[i].number] =
                home != HTML_NO_THREAD ? home : (uint32_t)first;
    }
}

/* ---- Groups ------------------------------------------------------------------------ */

/* What a recorder states about itself is no event of what it recorded, and has no time of
 * that. */
static bool is_statement(const struct profile_events *list,
                         const struct profile_event *event)
{
    static const char category[] = "fxtrecord";
    struct string string = string_table_get(&list->strings, event->category);

    return string.size == strlen(category) &&
           memcmp(string.data, category, string.size) == 0;
}

enum html_group html_group_of(const struct profile_events *list,
                              const struct profile_event *event)
{
    if (is_statement(list, event))
        return HTML_EVENT_GROUPS;
    switch ((enum profile_event_kind)event->kind) {
    case PROFILE_EVENT_SPAN:
        return HTML_SLICES;
    case PROFILE_EVENT_ASYNC:
        return HTML_ASYNCS;
    case PROFILE_EVENT_ASYNC_INSTANT:
    case PROFILE_EVENT_INSTANT:
    case PROFILE_EVENT_LOG:
        return HTML_MARKS;
    case PROFILE_EVENT_COUNTER:
        return HTML_VALUES;
    case PROFILE_EVENT_FLOW_BEGIN:
    case PROFILE_EVENT_FLOW_STEP:
    case PROFILE_EVENT_FLOW_END:
        return HTML_FLOWS;
    case PROFILE_EVENT_OFF_CPU:
        return HTML_WAITS;
    case PROFILE_EVENT_DROPS:
        break;
    }
    return HTML_EVENT_GROUPS;
}

static uint32_t place_of(const struct html_events *e, enum html_group group,
                         const struct profile_event *event)
{
    return (group == HTML_SLICES ? e->places : e->homes)[event->thread];
}

/* Events keep their order within a thread: it is that of time. */
static void group_by_threads(struct html_events *e)
{
    uint32_t *at[HTML_GROUPS_BY_THREAD];

    for (unsigned group = 0; group < HTML_GROUPS_BY_THREAD; group++) {
        uint32_t sum = 0;

        at[group] = (uint32_t *)memory_reserve(e->n_threads * sizeof(*at[group]));
        for (size_t i = 0; i < e->n_threads; i++) {
            at[group][i] = sum;
            sum += e->threads[i].n[group];
        }
    }
    for (uint32_t i = 0; i < e->list->n; i++) {
        const struct profile_event *event = &e->list->events[i];
        enum html_group group = html_group_of(e->list, event);

        if (group < HTML_GROUPS_BY_THREAD)
            e->groups[group][at[group][place_of(e, group, event)]++] = i;
    }
    for (unsigned group = 0; group < HTML_GROUPS_BY_THREAD; group++)
        memory_release(at[group]);
}

/* The slices, or all else. */
static void count_events(struct html_events *e, bool is_of_slices)
{
    for (size_t i = 0; i < e->list->n; i++) {
        const struct profile_event *event = &e->list->events[i];
        enum html_group group = html_group_of(e->list, event);

        if ((group == HTML_SLICES) != is_of_slices)
            continue;
        /* What was dropped has separate columns. */
        if ((group != HTML_EVENT_GROUPS || event->kind == PROFILE_EVENT_DROPS) &&
            event->time_ns < e->first_ns)
            e->first_ns = event->time_ns;
        if (group == HTML_EVENT_GROUPS)
            continue;
        e->n[group]++;
        if (group < HTML_GROUPS_BY_THREAD)
            e->threads[place_of(e, group, event)].n[group]++;
    }
}

static void make_groups(struct html_events *e, const struct tracks *tracks)
{
    size_t n_asyncs = 0;

    place_threads(e, tracks);
    e->first_ns = UINT64_MAX;
    count_events(e, true);
    choose_homes(e);
    count_events(e, false);
    for (unsigned group = 0; group < HTML_RUNS; group++)
        e->groups[group] =
            (uint32_t *)memory_reserve(e->n[group] * sizeof(*e->groups[group]));
    group_by_threads(e);
    for (uint32_t i = 0; i < e->list->n; i++) {
        if (html_group_of(e->list, &e->list->events[i]) == HTML_ASYNCS)
            e->groups[HTML_ASYNCS][n_asyncs++] = i;
    }
}

/* ---- All --------------------------------------------------------------------------- */

void html_events_make(struct html_events *e, struct html_tables *tables,
                      const struct tracks *tracks)
{
    static const struct profile_events none = {.n = 0};

    /* The events of heaps are the heaps. */
    e->list = tracks->profile->is_of_heap ? &none : &tracks->profile->events;
    e->strings = memory_allocate(e->list->strings.n * sizeof(*e->strings));
    find_labels(e, tables);
    make_groups(e, tracks);
    html_events_make_details(e, tables, tracks);
}
