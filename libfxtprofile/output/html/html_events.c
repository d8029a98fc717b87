/* SPDX-License-Identifier: BSD-2-Clause */
/* See html_events.h. */
#include "html_events.h"

#include <stdlib.h>
#include <string.h>

#include <fxt/format.h>

#include "common/base/memory.h"
#include "common/base/quote.h"
#include "common/base/sort.h"
#include "libfxtprofile/output/event_args.h"

#define NONE UINT32_MAX

const enum html_group html_groups_with_args[] = {HTML_SLICES, HTML_ASYNCS, HTML_MARKS,
                                                 HTML_FLOWS};

_Static_assert(sizeof(html_groups_with_args) / sizeof(html_groups_with_args[0]) ==
                   HTML_GROUPS_WITH_ARGS,
               "the number of groups");

/* ---- Strings and labels ------------------------------------------------------------ */

/* The page's string for one of the events. */
static uint32_t add_string(struct html_events *e, struct html_tables *tables,
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

static uint32_t find_label(struct html_events *e, struct html_label label)
{
    uint64_t hash = hash_word(hash_start(), (uint64_t)label.name << 32 | label.category);
    struct table_probe probe = table_probe(&e->label_table, hash);
    uint32_t number;

    while (table_next(&e->label_table, &probe, &number)) {
        if (e->labels[number].name == label.name &&
            e->labels[number].category == label.category)
            return number;
    }
    table_add(&e->label_table, hash, e->n_labels);
    e->labels = (struct html_label *)memory_grow(e->labels, e->n_labels,
                                                 &e->label_capacity, sizeof(*e->labels));
    e->labels[e->n_labels] = label;
    return (uint32_t)e->n_labels++;
}

static void find_labels(struct html_events *e, struct html_tables *tables)
{
    e->labels_of = (uint32_t *)memory_reserve(e->list->n * sizeof(*e->labels_of));
    for (size_t i = 0; i < e->list->n; i++) {
        const struct profile_event *event = &e->list->events[i];
        struct html_label label = {.name = 0};

        if (event->kind == PROFILE_EVENT_OFF_CPU || event->kind == PROFILE_EVENT_DROPS)
            continue;
        label.name = add_string(e, tables, event->name);
        label.category = add_string(e, tables, event->category);
        e->labels_of[i] = find_label(e, label);
    }
}

/* ---- Threads ----------------------------------------------------------------------- */

static int order_threads(const void *left, const void *right)
{
    const struct html_thread *a = (const struct html_thread *)left;
    const struct html_thread *b = (const struct html_thread *)right;

    if (a->lane != b->lane)
        return order_numbers(a->lane, b->lane);
    return order_numbers(a->number, b->number);
}

/* The threads that have events, in the order of the lanes. */
static void place_threads(struct html_events *e, const struct tracks *tracks)
{
    size_t n = e->list->n_threads;

    e->places = (uint32_t *)memory_reserve(n * sizeof(*e->places));
    e->homes = (uint32_t *)memory_reserve(n * sizeof(*e->homes));
    e->threads = (struct html_thread *)memory_allocate(n * sizeof(*e->threads));
    for (uint32_t i = 0; i < n; i++) {
        e->places[i] = e->homes[i] = NONE;
        if (tracks->of_threads[i] == NONE)
            continue;
        e->threads[e->n_threads].lane = tracks->of_threads[i];
        e->threads[e->n_threads++].number = i;
    }
    if (e->n_threads > 0)
        qsort(e->threads, e->n_threads, sizeof(*e->threads), order_threads);
    for (uint32_t i = 0; i < e->n_threads; i++)
        e->places[e->threads[i].number] = i;
}

/* After the slices were counted: of each lane, the first thread that has some, or else
 * the first. */
static void choose_homes(struct html_events *e)
{
    size_t last;

    for (size_t first = 0; first < e->n_threads; first = last) {
        uint32_t home = NONE;

        for (last = first; last < e->n_threads; last++) {
            if (e->threads[last].lane != e->threads[first].lane)
                break;
            if (home == NONE && e->threads[last].n[HTML_SLICES] > 0)
                home = (uint32_t)last;
        }
        for (size_t i = first; i < last; i++)
            e->homes[e->threads[i].number] = home != NONE ? home : (uint32_t)first;
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

static enum html_group group_of(const struct profile_events *list,
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
        enum html_group group = group_of(e->list, event);

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
        enum html_group group = group_of(e->list, event);

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
        if (group_of(e->list, &e->list->events[i]) == HTML_ASYNCS)
            e->groups[HTML_ASYNCS][n_asyncs++] = i;
    }
}

/* ---- Counters ---------------------------------------------------------------------- */

static uint32_t find_series(struct html_events *e, const struct html_series *wanted)
{
    uint64_t hash =
        hash_word(hash_word(hash_start(), (uint64_t)wanted->label << 32 | wanted->lane),
                  (uint64_t)wanted->arg << 32 | wanted->id);
    struct table_probe probe = table_probe(&e->series_table, hash);
    uint32_t number;

    while (table_next(&e->series_table, &probe, &number)) {
        const struct html_series *series = &e->series[number];

        if (series->label == wanted->label && series->lane == wanted->lane &&
            series->arg == wanted->arg && series->id == wanted->id)
            return number;
    }
    table_add(&e->series_table, hash, e->n_series);
    e->series = (struct html_series *)memory_grow(
        e->series, e->n_series, &e->series_capacity, sizeof(*e->series));
    e->series[e->n_series] = *wanted;
    return (uint32_t)e->n_series++;
}

static uint32_t add_id(struct html_tables *tables, uint64_t id)
{
    struct text text = {NULL, 0, 0};
    uint32_t string;

    if (id > 0)
        text_u64(&text, id);
    string = html_tables_string(tables, (struct string){text.data, text.size});
    text_free(&text);
    return string;
}

/* The values of one event. */
static void add_values(struct html_events *e, struct html_tables *tables,
                       const struct tracks *tracks, uint32_t number, size_t *capacity)
{
    const struct profile_event *event = &e->list->events[number];
    struct html_series series = {.label = e->labels_of[number],
                                 .lane =
                                     tracks_main(tracks, tracks_of_event(tracks, event)),
                                 .id = add_id(tables, event->id)};

    for (uint32_t i = 0; i < event->n_args; i++) {
        uint32_t arg = event->first_arg + i;
        uint32_t found;

        if (!event_arg_is_number(&e->list->args[arg]))
            continue;
        series.arg = add_string(e, tables, e->list->args[arg].name);
        found = find_series(e, &series);
        e->series[found].n_values++;
        e->values = (struct html_value *)memory_grow(e->values, e->n[HTML_VALUES],
                                                     capacity, sizeof(*e->values));
        e->values[e->n[HTML_VALUES]++] = (struct html_value){number, arg, found};
    }
}

static void sort_values(struct html_events *e)
{
    size_t n = e->n[HTML_VALUES];
    struct html_value *sorted = (struct html_value *)memory_reserve(n * sizeof(*sorted));
    uint32_t *at = (uint32_t *)memory_reserve(e->n_series * sizeof(*at));
    uint32_t sum = 0;

    for (size_t i = 0; i < e->n_series; i++) {
        at[i] = sum;
        sum += e->series[i].n_values;
    }
    for (size_t i = 0; i < n; i++)
        sorted[at[e->values[i].series]++] = e->values[i];
    memory_release(at);
    memory_release(e->values);
    e->values = sorted;
}

static void make_series(struct html_events *e, struct html_tables *tables,
                        const struct tracks *tracks)
{
    size_t capacity = 0;

    /* Until here it counted events. */
    e->n[HTML_VALUES] = 0;
    for (uint32_t i = 0; i < e->list->n; i++) {
        if (group_of(e->list, &e->list->events[i]) == HTML_VALUES)
            add_values(e, tables, tracks, i, &capacity);
    }
    sort_values(e);
    /* Where they are in the list of events, as those of other groups. */
    memory_release(e->groups[HTML_VALUES]);
    e->groups[HTML_VALUES] =
        (uint32_t *)memory_reserve(e->n[HTML_VALUES] * sizeof(uint32_t));
    for (size_t i = 0; i < e->n[HTML_VALUES]; i++)
        e->groups[HTML_VALUES][i] = e->values[i].event;
}

/* ---- Arguments --------------------------------------------------------------------- */

/* Numbers of JavaScript have 53 bits: larger ones are text. */
#define LARGEST_NUMBER ((uint64_t)1 << 53)

static struct html_arg convert_arg(struct html_events *e, struct html_tables *tables,
                                   const struct profile_arg *arg)
{
    struct html_arg to = {.name = add_string(e, tables, arg->name)};
    bool is_signed = arg->type == FXT_ARG_INT32 || arg->type == FXT_ARG_INT64;
    struct text value = {NULL, 0, 0};
    struct text text = {NULL, 0, 0};

    if ((is_signed || arg->type == FXT_ARG_UINT32 || arg->type == FXT_ARG_UINT64) &&
        arg->value < LARGEST_NUMBER) {
        to.kind = HTML_ARG_NUMBER;
        to.value = arg->value;
    } else if (is_signed && -arg->value < LARGEST_NUMBER) {
        to.kind = HTML_ARG_NEGATIVE;
        to.value = -arg->value;
    } else {
        event_arg_add_value(e->list, arg, &value);
        quote_utf8(&text, value.data, value.size);
        to.value = html_tables_string(tables, (struct string){text.data, text.size});
    }
    text_free(&value);
    text_free(&text);
    return to;
}

static size_t count_args(const struct html_events *e)
{
    size_t n = 0;

    for (unsigned g = 0; g < HTML_GROUPS_WITH_ARGS; g++) {
        for (size_t i = 0; i < e->n[html_groups_with_args[g]]; i++)
            n += html_event(e, html_groups_with_args[g], i)->n_args;
    }
    return n;
}

static void convert_args(struct html_events *e, struct html_tables *tables)
{
    e->args = (struct html_arg *)memory_reserve(count_args(e) * sizeof(*e->args));
    for (unsigned g = 0; g < HTML_GROUPS_WITH_ARGS; g++) {
        for (size_t i = 0; i < e->n[html_groups_with_args[g]]; i++) {
            const struct profile_event *event =
                html_event(e, html_groups_with_args[g], i);

            for (uint32_t j = 0; j < event->n_args; j++)
                e->args[e->n_args++] =
                    convert_arg(e, tables, &e->list->args[event->first_arg + j]);
        }
    }
}

/* ---- CPUs -------------------------------------------------------------------------- */

/* A run, by what it is sorted by. */
struct placed_run {
    uint64_t time_ns;
    uint32_t cpu;
    uint32_t number;
};

static int order_runs(const void *left, const void *right)
{
    const struct placed_run *a = (const struct placed_run *)left;
    const struct placed_run *b = (const struct placed_run *)right;

    if (a->cpu != b->cpu)
        return order_numbers(a->cpu, b->cpu);
    if (a->time_ns != b->time_ns)
        return order_numbers(a->time_ns, b->time_ns);
    return order_numbers(a->number, b->number);
}

/* Those of threads, since what is idle is what is left. */
static size_t collect_runs(const struct html_events *e, struct placed_run *placed)
{
    const struct profile_scheduling *s = &e->list->scheduling;
    size_t n = 0;

    for (uint32_t i = 0; i < s->n_runs; i++) {
        const struct profile_run *run = &s->runs[i];

        if (run->kind == PROFILE_RUN_BUSY && run->thread != PROFILE_NO_THREAD &&
            e->homes[run->thread] != NONE)
            placed[n++] = (struct placed_run){run->from_ns, run->cpu, i};
    }
    if (n > 0)
        qsort(placed, n, sizeof(*placed), order_runs);
    return n;
}

static void sort_runs(struct html_events *e)
{
    size_t n = e->list->scheduling.n_runs;
    struct placed_run *placed = (struct placed_run *)memory_reserve(n * sizeof(*placed));
    size_t capacity = 0;

    n = collect_runs(e, placed);
    e->n[HTML_RUNS] = n;
    e->groups[HTML_RUNS] = (uint32_t *)memory_reserve(n * sizeof(uint32_t));
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || placed[i].cpu != placed[i - 1].cpu) {
            e->cpus = (struct html_cpu *)memory_grow(e->cpus, e->n_cpus, &capacity,
                                                     sizeof(*e->cpus));
            e->cpus[e->n_cpus++] = (struct html_cpu){.number = placed[i].cpu};
        }
        e->cpus[e->n_cpus - 1].n_runs++;
        e->groups[HTML_RUNS][i] = placed[i].number;
        if (placed[i].time_ns < e->first_ns)
            e->first_ns = placed[i].time_ns;
    }
    memory_release(placed);
}

/* ---- Flows ------------------------------------------------------------------------- */

/* The events of one flow have one id; flows are numbered. */
static void number_flows(struct html_events *e)
{
    uint64_t *ids = (uint64_t *)memory_reserve(e->n[HTML_FLOWS] * sizeof(*ids));
    struct table table = {.n_used = 0};
    uint32_t n_flows = 0;

    e->flows = (uint32_t *)memory_reserve(e->n[HTML_FLOWS] * sizeof(*e->flows));
    for (size_t i = 0; i < e->n[HTML_FLOWS]; i++) {
        uint64_t id = html_event(e, HTML_FLOWS, i)->id;
        uint64_t hash = hash_word(hash_start(), id);
        struct table_probe probe = table_probe(&table, hash);
        uint32_t number = n_flows;

        while (table_next(&table, &probe, &number)) {
            if (ids[number] == id)
                break;
            number = n_flows;
        }
        if (number == n_flows) {
            table_add(&table, hash, n_flows);
            ids[n_flows++] = id;
        }
        e->flows[i] = number;
    }
    table_free(&table);
    memory_release(ids);
}

/* ---- Waits ------------------------------------------------------------------------- */

/* The first argument is the CPU, the second is the thread that ended it. */
static void find_wakers(struct html_events *e, struct html_tables *tables,
                        const struct koid_names *names)
{
    struct text text = {NULL, 0, 0};

    e->wakers = (uint32_t *)memory_allocate(e->n[HTML_WAITS] * sizeof(*e->wakers));
    for (size_t i = 0; i < e->n[HTML_WAITS]; i++) {
        const struct profile_event *event = html_event(e, HTML_WAITS, i);
        struct koid_names_id id = {.kind = KOID_THREAD};

        if (event->n_args < 2)
            continue;
        id.koid = e->list->args[event->first_arg + 1].value;
        text.size = 0;
        koid_names_describe(names, id, &text);
        e->wakers[i] =
            1 + html_tables_string(tables, (struct string){text.data, text.size});
    }
    text_free(&text);
}

/* ---- All --------------------------------------------------------------------------- */

void html_events_make(struct html_events *e, struct html_tables *tables,
                      const struct tracks *tracks)
{
    static const struct profile_events none = {.n = 0};

    /* The events of heaps are the heaps. */
    e->list = tracks->profile->is_of_heap ? &none : &tracks->profile->events;
    e->strings = (uint32_t *)memory_allocate(e->list->strings.n * sizeof(*e->strings));
    find_labels(e, tables);
    make_groups(e, tracks);
    make_series(e, tables, tracks);
    convert_args(e, tables);
    sort_runs(e);
    number_flows(e);
    find_wakers(e, tables, &tracks->profile->koid_names);
}

void html_events_free(struct html_events *e)
{
    for (unsigned group = 0; group < HTML_EVENT_GROUPS; group++)
        memory_release(e->groups[group]);
    memory_release(e->values);
    memory_release(e->labels_of);
    memory_release(e->labels);
    table_free(&e->label_table);
    memory_release(e->threads);
    memory_release(e->cpus);
    memory_release(e->places);
    memory_release(e->homes);
    memory_release(e->series);
    table_free(&e->series_table);
    memory_release(e->strings);
    memory_release(e->args);
    memory_release(e->flows);
    memory_release(e->wakers);
}
