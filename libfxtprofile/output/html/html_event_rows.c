/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns of a page's events: see html.h and html_events.h. */
#include <string.h>

#include <fxt/format.h>

#include "html.h"

/* ---- What rows refer to ------------------------------------------------------------ */

void html_add_event_tables(struct html *h)
{
    const struct html_events *e = &h->events;

    if (e->n_threads == 0)
        return;
    HTML_ADD_COLUMN(h, "label.name", e->labels, e->n_labels, name);
    HTML_ADD_COLUMN(h, "label.category", e->labels, e->n_labels, category);
    HTML_ADD_COLUMN(h, "thread.lane", e->threads, e->n_threads, lane);
    HTML_ADD_COLUMN(h, "thread.slices", e->threads, e->n_threads, n[HTML_SLICES]);
    HTML_ADD_COLUMN(h, "thread.marks", e->threads, e->n_threads, n[HTML_MARKS]);
    HTML_ADD_COLUMN(h, "thread.flows", e->threads, e->n_threads, n[HTML_FLOWS]);
    HTML_ADD_COLUMN(h, "thread.waits", e->threads, e->n_threads, n[HTML_WAITS]);
    HTML_ADD_COLUMN(h, "cpu.number", e->cpus, e->n_cpus, number);
    HTML_ADD_COLUMN(h, "cpu.runs", e->cpus, e->n_cpus, n_runs);
    HTML_ADD_COLUMN(h, "series.label", e->series, e->n_series, label);
    HTML_ADD_COLUMN(h, "series.lane", e->series, e->n_series, lane);
    HTML_ADD_COLUMN(h, "series.arg", e->series, e->n_series, arg);
    HTML_ADD_COLUMN(h, "series.id", e->series, e->n_series, id);
    HTML_ADD_COLUMN(h, "series.values", e->series, e->n_series, n_values);
}

/* ---- Rows -------------------------------------------------------------------------- */

static const struct profile_event *event_of(const struct html *h, enum html_group group,
                                            size_t row)
{
    return html_event(&h->events, group, row);
}

/* Whether a row is of the same track as the one before it. */
static bool follows(const struct html *h, enum html_group group, size_t row)
{
    const uint32_t *places = group == HTML_SLICES ? h->events.places : h->events.homes;

    if (row == 0)
        return false;
    if (group == HTML_ASYNCS)
        return true;
    if (group == HTML_VALUES)
        return h->events.values[row].series == h->events.values[row - 1].series;
    return places[event_of(h, group, row)->thread] ==
           places[event_of(h, group, row - 1)->thread];
}

/* Since the one before on its track. */
static uint64_t get_time(const struct html *h, enum html_group group, size_t row)
{
    uint64_t last =
        follows(h, group, row) ? event_of(h, group, row - 1)->time_ns : html_start(h);

    return event_of(h, group, row)->time_ns - last;
}

static uint64_t get_duration(const struct html *h, enum html_group group, size_t row)
{
    return event_of(h, group, row)->end_ns - event_of(h, group, row)->time_ns;
}

static uint64_t get_label(const struct html *h, enum html_group group, size_t row)
{
    return h->events.labels_of[h->events.groups[group][row]];
}

static uint64_t get_args(const struct html *h, enum html_group group, size_t row)
{
    return event_of(h, group, row)->n_args;
}

static uint64_t get_unfinished(const struct html *h, enum html_group group, size_t row)
{
    return event_of(h, group, row)->is_unfinished;
}

/* The lane of its process. */
static uint64_t get_lane(const struct html *h, enum html_group group, size_t row)
{
    return tracks_main(&h->now.tracks,
                       tracks_of_event(&h->now.tracks, event_of(h, group, row)));
}

/* 0 for an instant, 1 for one of an operation, 2 for a log message. */
static uint64_t get_mark_kind(const struct html *h, enum html_group group, size_t row)
{
    switch (event_of(h, group, row)->kind) {
    case PROFILE_EVENT_ASYNC_INSTANT:
        return 1;
    case PROFILE_EVENT_LOG:
        return 2;
    default:
        return 0;
    }
}

/* 0 for a begin, 1 for a step, 2 for an end. */
static uint64_t get_flow_kind(const struct html *h, enum html_group group, size_t row)
{
    return event_of(h, group, row)->kind - (uint64_t)PROFILE_EVENT_FLOW_BEGIN;
}

static uint64_t get_flow(const struct html *h, enum html_group group, size_t row)
{
    (void)group;
    return h->events.flows[row];
}

/* 0 for blocked, 1 for runnable, 2 for suspended. */
static uint64_t get_wait_kind(const struct html *h, enum html_group group, size_t row)
{
    const struct html_events *e = &h->events;

    switch (string_table_get(&e->list->strings, event_of(h, group, row)->name).data[0]) {
    case 'r':
        return 1;
    case 's':
        return 2;
    default:
        return 0;
    }
}

/* The CPU that the thread ran on before. */
static uint64_t get_wait_cpu(const struct html *h, enum html_group group, size_t row)
{
    return h->events.list->args[event_of(h, group, row)->first_arg].value;
}

static uint64_t get_waker(const struct html *h, enum html_group group, size_t row)
{
    (void)group;
    return h->events.wakers[row];
}

/* ---- Runs -------------------------------------------------------------------------- */

/* Since the one before on the CPU. */
static uint64_t get_run_time(const struct html *h, enum html_group group, size_t row)
{
    const struct profile_run *run = html_run(&h->events, row);
    bool is_first = row == 0 || html_run(&h->events, row - 1)->cpu != run->cpu;

    (void)group;
    return run->from_ns -
           (is_first ? html_start(h) : html_run(&h->events, row - 1)->from_ns);
}

static uint64_t get_run_duration(const struct html *h, enum html_group group, size_t row)
{
    const struct profile_run *run = html_run(&h->events, row);

    (void)group;
    return run->to_ns > run->from_ns ? run->to_ns - run->from_ns : 0;
}

static uint64_t get_run_thread(const struct html *h, enum html_group group, size_t row)
{
    (void)group;
    return h->events.homes[html_run(&h->events, row)->thread];
}

/* ---- Values and arguments ---------------------------------------------------------- */

/* As the bits of a double. */
static uint64_t value_bits(const struct html *h, size_t row)
{
    const struct profile_arg *arg = &h->events.list->args[h->events.values[row].arg];
    double value;
    uint64_t bits;

    if (arg->type == FXT_ARG_DOUBLE)
        return arg->value;
    if (arg->type == FXT_ARG_INT32 || arg->type == FXT_ARG_INT64)
        value = (double)(int64_t)arg->value;
    else
        value = (double)arg->value;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static uint64_t get_high(const struct html *h, enum html_group group, size_t row)
{
    (void)group;
    return value_bits(h, row) >> 32;
}

static uint64_t get_low(const struct html *h, enum html_group group, size_t row)
{
    (void)group;
    return value_bits(h, row) & UINT32_MAX;
}

static uint64_t get_arg_name(const struct html *h, enum html_group group, size_t row)
{
    (void)group;
    return h->events.args[row].name;
}

static uint64_t get_arg_kind(const struct html *h, enum html_group group, size_t row)
{
    (void)group;
    return h->events.args[row].kind;
}

static uint64_t get_arg_value(const struct html *h, enum html_group group, size_t row)
{
    (void)group;
    return h->events.args[row].value;
}

const struct html_row_column html_event_columns[] = {
    {"slice.time", HTML_SLICES, get_time},
    {"slice.duration", HTML_SLICES, get_duration},
    {"slice.label", HTML_SLICES, get_label},
    {"slice.args", HTML_SLICES, get_args},
    {"slice.unfinished", HTML_SLICES, get_unfinished},
    {"async.time", HTML_ASYNCS, get_time},
    {"async.duration", HTML_ASYNCS, get_duration},
    {"async.label", HTML_ASYNCS, get_label},
    {"async.args", HTML_ASYNCS, get_args},
    {"async.unfinished", HTML_ASYNCS, get_unfinished},
    {"async.lane", HTML_ASYNCS, get_lane},
    {"mark.time", HTML_MARKS, get_time},
    {"mark.label", HTML_MARKS, get_label},
    {"mark.args", HTML_MARKS, get_args},
    {"mark.kind", HTML_MARKS, get_mark_kind},
    {"flow.time", HTML_FLOWS, get_time},
    {"flow.label", HTML_FLOWS, get_label},
    {"flow.args", HTML_FLOWS, get_args},
    {"flow.kind", HTML_FLOWS, get_flow_kind},
    {"flow.number", HTML_FLOWS, get_flow},
    {"wait.time", HTML_WAITS, get_time},
    {"wait.duration", HTML_WAITS, get_duration},
    {"wait.kind", HTML_WAITS, get_wait_kind},
    {"wait.cpu", HTML_WAITS, get_wait_cpu},
    {"wait.waker", HTML_WAITS, get_waker},
    {"run.time", HTML_RUNS, get_run_time},
    {"run.duration", HTML_RUNS, get_run_duration},
    {"run.thread", HTML_RUNS, get_run_thread},
    {"value.time", HTML_VALUES, get_time},
    {"value.high", HTML_VALUES, get_high},
    {"value.low", HTML_VALUES, get_low},
    {"arg.name", HTML_EVENT_GROUPS, get_arg_name},
    {"arg.kind", HTML_EVENT_GROUPS, get_arg_kind},
    {"arg.value", HTML_EVENT_GROUPS, get_arg_value},
    {NULL, HTML_EVENT_GROUPS, NULL},
};
