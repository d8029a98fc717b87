/* SPDX-License-Identifier: BSD-2-Clause */
/* See print_events.h: JSON, whose members the manual page documents. */
#include <string.h>

#include "common/base/quote.h"
#include "event_rows.h"
#include "numbers.h"
#include "print_events.h"

/* ---- Members ----------------------------------------------------------------------- */

static void add_key(struct text *text, const char *key)
{
    text_char(text, '"');
    text_str(text, key);
    text_str(text, "\":");
}

static void add_number(struct text *text, const char *key, uint64_t number)
{
    add_key(text, key);
    text_u64(text, number);
    text_char(text, ',');
}

static void add_value(struct text *text, const char *key, double value)
{
    add_key(text, key);
    text_double(text, value);
    text_char(text, ',');
}

static void add_string(struct text *text, const char *key, struct fxt_string string)
{
    add_key(text, key);
    quote_json(text, string.data, string.size);
    text_char(text, ',');
}

static void start_list(struct text *text, const char *key)
{
    add_key(text, key);
    text_str(text, "[\n");
}

/* Ends an object of a list, whose last member is followed by a comma. */
static void end_object(struct text *text, bool is_last)
{
    text->size--;
    text_str(text, is_last ? "}\n" : "},\n");
}

static void end_list(struct text *text)
{
    text_str(text, "],");
}

/* ---- By name ----------------------------------------------------------------------- */

static void add_names(struct text *text, const struct event_row *row)
{
    add_string(text, "name", row->all.name);
    add_string(text, "category", row->all.category);
    add_number(text, "count", row->all.count);
}

static void add_durations(struct text *text, const struct event_row *row,
                          enum fxt_profile_summary_kind kind)
{
    add_number(text, "total_ns", row->all.total_ns);
    if (kind == FXT_PROFILE_SUMMARY_SPANS)
        add_number(text, "self_ns", row->all.self_ns);
    add_number(text, "min_ns", row->min_ns);
    add_number(text, "p50_ns", row->p50_ns);
    add_number(text, "p90_ns", row->p90_ns);
    add_number(text, "p99_ns", row->p99_ns);
    add_number(text, "max_ns", row->max_ns);
    add_number(text, "unfinished", row->all.n_unfinished);
}

static void add_steps(struct text *text, const struct event_row *row)
{
    const uint64_t *steps = row->all.steps_ns;
    size_t n = row->all.n_steps;

    add_number(text, "steps", n);
    add_number(text, "step_min_ns", n > 0 ? steps[0] : 0);
    add_number(text, "step_p50_ns", event_percentile(steps, n, 50));
    add_number(text, "step_p90_ns", event_percentile(steps, n, 90));
    add_number(text, "step_p99_ns", event_percentile(steps, n, 99));
    add_number(text, "step_max_ns", n > 0 ? steps[n - 1] : 0);
}

static void add_rows(const struct view *v, const char *key,
                     enum fxt_profile_summary_kind kind, struct text *text)
{
    struct event_rows rows;
    size_t shown;

    event_rows_make(&rows, v->now.profile, kind);
    event_rows_sort(&rows, v->settings->sort);
    shown = view_rows(v, rows.n, rows.n);
    start_list(text, key);
    for (size_t i = 0; i < shown; i++) {
        const struct event_row *row = &rows.rows[i];

        text_char(text, '{');
        add_names(text, row);
        if (kind != FXT_PROFILE_SUMMARY_INSTANTS)
            add_durations(text, row, kind);
        if (kind == FXT_PROFILE_SUMMARY_FLOWS)
            add_steps(text, row);
        end_object(text, i + 1 == shown);
    }
    end_list(text);
    event_rows_free(&rows);
}

/* ---- Counters and threads ---------------------------------------------------------- */

static void add_counters(const struct view *v, struct text *text)
{
    size_t n = fxt_profile_n_counters(v->now.profile);
    size_t shown = view_rows(v, n, n);

    start_list(text, "counters");
    for (size_t i = 0; i < shown; i++) {
        struct fxt_profile_counter counter;
        struct counter_numbers numbers;

        fxt_profile_get_counter(v->now.profile, i, &counter);
        numbers = numbers_of(&counter);
        text_char(text, '{');
        add_string(text, "name", counter.name);
        add_string(text, "category", counter.category);
        add_string(text, "series", counter.series);
        add_number(text, "id", counter.id);
        add_number(text, "process", counter.process);
        add_number(text, "count", counter.n_values);
        add_value(text, "min", numbers.min);
        add_value(text, "mean", numbers.mean);
        add_value(text, "max", numbers.max);
        add_value(text, "last", numbers.last);
        end_object(text, i + 1 == shown);
    }
    end_list(text);
}

static void add_threads(const struct view *v, struct text *text)
{
    size_t n = fxt_profile_n_thread_times(v->now.profile);
    size_t shown = view_rows(v, n, n);

    start_list(text, "scheduling");
    for (size_t i = 0; i < shown; i++) {
        struct fxt_profile_thread_times t;

        fxt_profile_get_thread_times(v->now.profile, i, &t);
        text_char(text, '{');
        add_string(text, "name", t.thread_name);
        add_number(text, "thread", t.thread);
        add_string(text, "process_name", t.process_name);
        add_number(text, "process", t.process);
        add_number(text, "run_ns", t.run_ns);
        add_number(text, "wait_ns", t.wait_ns);
        add_number(text, "blocked_ns", t.blocked_ns);
        add_number(text, "unknown_ns", t.unknown_ns);
        add_number(text, "switches", t.n_switches);
        add_number(text, "migrations", t.n_migrations);
        end_object(text, i + 1 == shown);
    }
    end_list(text);
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
