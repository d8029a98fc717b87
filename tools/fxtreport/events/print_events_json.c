/* SPDX-License-Identifier: BSD-2-Clause */
/* See print_events.h: JSON, whose members the manual page documents. */
#include "event_rows.h"
#include "print_events.h"
#include "tools/fxtreport/json.h"

/* ---- By name ----------------------------------------------------------------------- */

static void add_names(struct text *text, const struct event_row *row)
{
    json_string(text, "name", row->all.name);
    json_string(text, "category", row->all.category);
    json_number(text, "count", row->all.count);
}

static void add_durations(struct text *text, const struct event_row *row,
                          enum fxt_profile_summary_kind kind)
{
    json_number(text, "total_ns", row->all.total_ns);
    if (kind == FXT_PROFILE_SUMMARY_SPANS)
        json_number(text, "self_ns", row->all.self_ns);
    json_number(text, "min_ns", row->min_ns);
    json_number(text, "p50_ns", row->p50_ns);
    json_number(text, "p90_ns", row->p90_ns);
    json_number(text, "p99_ns", row->p99_ns);
    json_number(text, "max_ns", row->max_ns);
    json_number(text, "unfinished", row->all.n_unfinished);
}

static void add_steps(struct text *text, const struct event_row *row)
{
    const uint64_t *steps = row->all.steps_ns;
    size_t n = row->all.n_steps;

    json_number(text, "steps", n);
    json_number(text, "step_min_ns", n > 0 ? steps[0] : 0);
    json_number(text, "step_p50_ns", event_percentile(steps, n, 50));
    json_number(text, "step_p90_ns", event_percentile(steps, n, 90));
    json_number(text, "step_p99_ns", event_percentile(steps, n, 99));
    json_number(text, "step_max_ns", n > 0 ? steps[n - 1] : 0);
}

static void add_rows(const struct view *v, const char *key,
                     enum fxt_profile_summary_kind kind, struct text *text)
{
    struct event_rows rows;
    size_t shown;

    event_rows_make(&rows, v->now.profile, kind);
    event_rows_sort(&rows, v->settings->sort);
    shown = view_rows(v, rows.n, rows.n);
    json_open_rows(text, key);
    for (size_t i = 0; i < shown; i++) {
        const struct event_row *row = &rows.rows[i];

        text_char(text, '{');
        add_names(text, row);
        if (kind != FXT_PROFILE_SUMMARY_INSTANTS)
            add_durations(text, row, kind);
        if (kind == FXT_PROFILE_SUMMARY_FLOWS)
            add_steps(text, row);
        json_end_row(text, i + 1 == shown);
    }
    json_end_rows(text);
}

/* ---- Counters and threads ---------------------------------------------------------- */

static void add_counters(const struct view *v, struct text *text)
{
    size_t n = fxt_profile_n_counters(v->now.profile);
    size_t shown = view_rows(v, n, n);

    json_open_rows(text, "counters");
    for (size_t i = 0; i < shown; i++) {
        struct fxt_profile_counter counter;
        struct counter_numbers numbers;

        fxt_profile_get_counter(v->now.profile, i, &counter);
        numbers = counter_numbers_of(&counter);
        text_char(text, '{');
        json_string(text, "name", counter.name);
        json_string(text, "category", counter.category);
        json_string(text, "series", counter.series);
        json_number(text, "id", counter.id);
        json_number(text, "process", counter.process);
        json_number(text, "count", counter.n_values);
        json_double(text, "min", numbers.min);
        json_double(text, "mean", numbers.mean);
        json_double(text, "max", numbers.max);
        json_double(text, "last", numbers.last);
        json_end_row(text, i + 1 == shown);
    }
    json_end_rows(text);
}

static void add_threads(const struct view *v, struct text *text)
{
    size_t n = fxt_profile_n_thread_times(v->now.profile);
    size_t shown = view_rows(v, n, n);

    json_open_rows(text, "scheduling");
    for (size_t i = 0; i < shown; i++) {
        struct fxt_profile_thread_times t;

        fxt_profile_get_thread_times(v->now.profile, i, &t);
        text_char(text, '{');
        json_string(text, "name", t.thread_name);
        json_number(text, "thread", t.thread);
        json_string(text, "process_name", t.process_name);
        json_number(text, "process", t.process);
        json_number(text, "run_ns", t.run_ns);
        json_number(text, "wait_ns", t.wait_ns);
        json_number(text, "blocked_ns", t.blocked_ns);
        json_number(text, "unknown_ns", t.unknown_ns);
        json_number(text, "switches", t.n_switches);
        json_number(text, "migrations", t.n_migrations);
        json_end_row(text, i + 1 == shown);
    }
    json_end_rows(text);
}

/* ---- All --------------------------------------------------------------------------- */

void print_events_json(const struct view *v, struct text *text)
{
    enum view_kind view = v->settings->view;
    bool is_all = view == VIEW_SUMMARY;

    if (is_all || view == VIEW_SPANS)
        add_rows(v, "spans", FXT_PROFILE_SUMMARY_SPANS, text);
    if (is_all || view == VIEW_ASYNC)
        add_rows(v, "async", FXT_PROFILE_SUMMARY_ASYNC, text);
    if (is_all || view == VIEW_FLOWS)
        add_rows(v, "flows", FXT_PROFILE_SUMMARY_FLOWS, text);
    if (is_all || view == VIEW_COUNTERS)
        add_counters(v, text);
    if (is_all || view == VIEW_INSTANTS)
        add_rows(v, "instants", FXT_PROFILE_SUMMARY_INSTANTS, text);
    if (is_all)
        add_threads(v, text);
}
