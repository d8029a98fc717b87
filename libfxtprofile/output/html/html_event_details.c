/* SPDX-License-Identifier: BSD-2-Clause */
/* What groups of events have beside their events: counters' values, arguments, the runs
 * of CPUs, the numbers of flows, and what ended waits. See html_events.h. */
#include "html_events.h"

#include <fxt/format.h>

#include "common/base/memory.h"
#include "common/base/quote.h"
#include "common/base/sort.h"
#include "common/base/table_items.h"
#include "common/spans/span_keys.h"
#include "libfxtprofile/output/event_args.h"

/* The groups whose events have their arguments in the page, in the order of these. */
enum { N_GROUPS_WITH_ARGS = 4 };
static const enum html_group groups_with_args[N_GROUPS_WITH_ARGS] = {
    HTML_SLICES, HTML_ASYNCS, HTML_MARKS, HTML_FLOWS};

/* ---- Counters ---------------------------------------------------------------------- */

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
        series.arg = html_events_string(e, tables, e->list->args[arg].name);
        found = TABLE_PUT(&e->series_table, e->series, e->n_series, e->series_capacity,
                          &series, label, lane, arg, id);
        e->series[found].n_values++;
        e->values =
            memory_grow(e->values, e->n[HTML_VALUES], capacity, sizeof(*e->values));
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
        if (html_group_of(e->list, &e->list->events[i]) == HTML_VALUES)
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
    struct html_arg to = {.name = html_events_string(e, tables, arg->name)};
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

    for (unsigned g = 0; g < N_GROUPS_WITH_ARGS; g++) {
        for (size_t i = 0; i < e->n[groups_with_args[g]]; i++)
            n += html_event(e, groups_with_args[g], i)->n_args;
    }
    return n;
}

static void convert_args(struct html_events *e, struct html_tables *tables)
{
    e->args = (struct html_arg *)memory_reserve(count_args(e) * sizeof(*e->args));
    for (unsigned g = 0; g < N_GROUPS_WITH_ARGS; g++) {
        for (size_t i = 0; i < e->n[groups_with_args[g]]; i++) {
            const struct profile_event *event = html_event(e, groups_with_args[g], i);

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

SORT_ORDER(order_runs, struct placed_run, BY(cpu) || BY(time_ns) || BY(number));

/* Those of threads, since what is idle is what is left. */
static size_t collect_runs(const struct html_events *e, struct placed_run *placed)
{
    const struct profile_scheduling *s = &e->list->scheduling;
    size_t n = 0;

    for (uint32_t i = 0; i < s->n_runs; i++) {
        const struct profile_run *run = &s->runs[i];

        if (run->kind == PROFILE_RUN_BUSY && run->thread != PROFILE_NO_THREAD &&
            e->homes[run->thread] != HTML_NO_THREAD)
            placed[n++] = (struct placed_run){run->from_ns, run->cpu, i};
    }
    SORT(placed, n, order_runs);
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
            MEMORY_ADD(e->cpus, e->n_cpus, capacity,
                       (struct html_cpu){.number = placed[i].cpu});
        }
        e->cpus[e->n_cpus - 1].n_runs++;
        e->groups[HTML_RUNS][i] = placed[i].number;
        if (placed[i].time_ns < e->first_ns)
            e->first_ns = placed[i].time_ns;
    }
    memory_release(placed);
}

/* ---- Flows ------------------------------------------------------------------------- */

static void number_flows(struct html_events *e)
{
    struct async_groups flows = {.n = 0};

    e->flows = (uint32_t *)memory_reserve(e->n[HTML_FLOWS] * sizeof(*e->flows));
    for (size_t i = 0; i < e->n[HTML_FLOWS]; i++) {
        const struct profile_event *event = html_event(e, HTML_FLOWS, i);
        struct async_group flow =
            async_group_of_flow(event->id, event->name, event->category);

        e->flows[i] = async_groups_find(&flows, &flow);
    }
    async_groups_free(&flows);
}

/* ---- Waits ------------------------------------------------------------------------- */

/* The first argument is the CPU, the second is the thread that ended it. */
static void find_wakers(struct html_events *e, struct html_tables *tables,
                        const struct koid_names *names)
{
    struct text text = {NULL, 0, 0};

    e->wakers = memory_allocate(e->n[HTML_WAITS] * sizeof(*e->wakers));
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

void html_events_make_details(struct html_events *e, struct html_tables *tables,
                              const struct tracks *tracks)
{
    make_series(e, tables, tracks);
    convert_args(e, tables);
    sort_runs(e);
    number_flows(e);
    find_wakers(e, tables, &tracks->profile->koid_names);
}
