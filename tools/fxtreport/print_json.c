/* SPDX-License-Identifier: BSD-2-Clause */
/* See print.h: JSON, whose members the manual page documents. */
#include "events/print_events.h"
#include "json.h"
#include "print.h"
#include "spans/print_span.h"
#include "common/base/io/source_text.h"

/* ---- What was recorded ------------------------------------------------------------- */

static void add_recordings(struct text *text, const struct fxt_profile *profile)
{
    json_open(text, "recordings", '[');
    for (size_t i = 0; i < fxt_profile_n_recordings(profile); i++) {
        struct fxt_profile_recording recording;

        fxt_profile_get_recording(profile, i, &recording);
        text_char(text, '{');
        json_string(text, "command_line", recording.command_line);
        json_string(text, "method", recording.method);
        json_string(text, "version", recording.version);
        json_number(text, "start_unix_ns", recording.start_ns);
        json_number(text, "period_ns", recording.period_ns);
        json_number(text, "throttled", recording.n_throttled);
        json_end(text, '}');
    }
    json_end(text, ']');
}

static void add_cuts(struct text *text, const struct fxt_profile *profile)
{
    json_open(text, "cuts", '[');
    for (size_t i = 0; i < fxt_profile_n_cuts(profile); i++) {
        struct fxt_profile_cut cut;

        fxt_profile_get_cut(profile, i, &cut);
        text_char(text, '{');
        json_number(text, "end", cut.end);
        json_string(text, "file", cut.file);
        json_number(text, "samples", cut.n_samples);
        json_end(text, '}');
    }
    json_end(text, ']');
}

static void add_losses(struct text *text, const struct fxt_profile *profile)
{
    json_open(text, "losses", '[');
    for (size_t i = 0; i < fxt_profile_n_losses(profile); i++) {
        const char *loss = fxt_profile_loss(profile, i);

        quote_json(text, loss, strlen(loss));
        text_char(text, ',');
    }
    json_end(text, ']');
}

static void add_recorded(struct text *text, const struct recorded *recorded)
{
    struct fxt_profile_statistics s = {.size = sizeof(s)};

    fxt_profile_get_statistics(recorded->profile, &s);
    json_number(text, "samples", recorded->weights.total.n);
    json_signed(text, "total", recorded->weights.total.value);
    json_number(text, "start_unix_ns", s.start_ns);
    json_number(text, "duration_ns", s.duration_ns);
    json_number(text, "period_ns", s.period_ns);
    add_recordings(text, recorded->profile);
    json_open(text, "missing", '{');
    json_number(text, "dropped_records", s.n_dropped_records);
    json_number(text, "dropped_bytes", s.n_dropped_bytes);
    json_number(text, "frames", s.n_frames);
    json_number(text, "named_frames", s.n_named_frames);
    json_number(text, "stack_ends", s.n_stack_ends);
    json_number(text, "whole_stacks", s.n_whole_stacks);
    json_number(text, "errors", s.n_errors);
    json_number(text, "unread_bytes", s.n_unread_bytes);
    add_cuts(text, recorded->profile);
    add_losses(text, recorded->profile);
    json_end(text, '}');
}

/* ---- Points ------------------------------------------------------------------------ */

static void add_points(struct text *text, const struct fxt_profile *profile)
{
    struct fxt_profile_heap_point point;

    json_open(text, "points", '[');
    for (size_t i = 0; fxt_profile_get_heap_point(profile, i, &point) == FXT_OK; i++) {
        text_char(text, '{');
        json_number(text, "point", point.number);
        json_number(text, "time_ns", point.since_start_ns);
        json_number(text, "processes", point.n_processes);
        json_number(text, "live_bytes", point.live_bytes);
        json_number(text, "live_blocks", point.live_blocks);
        json_number(text, "allocated_bytes", point.allocated_bytes);
        json_number(text, "allocated_blocks", point.allocated_blocks);
        json_flag(text, "shown", point.is_shown);
        json_end(text, '}');
    }
    json_end(text, ']');
}

/* ---- Rows -------------------------------------------------------------------------- */

static void add_function(struct text *text, const struct measure_row *row)
{
    if (row->is_unnamed)
        text_str(text, "\"name\":null,");
    else
        json_string(text, "name", row->name);
    json_string(text, "module", row->module);
    json_flag(text, "inlined", row->is_inlined && !row->is_unnamed);
    json_flag(text, "kernel", row->is_kernel);
}

static void add_line(struct text *text, const struct measure_row *row,
                     struct source_texts *sources)
{
    struct text line = {NULL, 0, 0};

    add_function(text, row);
    json_string(text, "file", row->file);
    json_number(text, "line", row->line);
    if (source_texts_add(sources, row->file, row->line, &line)) {
        json_key(text, "text");
        quote_json(text, line.data, line.size);
        text_char(text, ',');
    }
    text_free(&line);
}

/* Of the first boot, as nearly all rows are, nothing. */
static void add_boot(struct text *text, const struct measure_row *row)
{
    if (row->boot > 0)
        json_number(text, "boot", (uint64_t)row->boot + 1);
}

/* What names a row. */
static void add_identity(struct text *text, const struct measure_row *row,
                         enum measure_by by, struct source_texts *sources)
{
    switch (by) {
    case BY_FUNCTION:
        add_function(text, row);
        json_string(text, "file", row->file);
        json_number(text, "line", row->line);
        break;
    case BY_MODULE:
        json_string(text, "module", row->module);
        json_flag(text, "kernel", row->is_kernel);
        break;
    case BY_SOURCE:
        json_string(text, "file", row->file);
        break;
    case BY_LINE:
        add_line(text, row, sources);
        break;
    case BY_THREAD:
        json_string(text, "name", row->name);
        json_number(text, "thread", row->number);
        json_string(text, "process_name", row->process_name);
        json_number(text, "process", row->process);
        add_boot(text, row);
        break;
    case BY_PROCESS:
        json_string(text, "name", row->name);
        json_number(text, "process", row->number);
        add_boot(text, row);
        break;
    case BY_CPU:
        if (row->number == FXT_PROFILE_NONE)
            text_str(text, "\"cpu\":null,");
        else
            json_number(text, "cpu", row->number);
        break;
    }
}

static void add_weights(struct text *text, struct weight self, struct weight total)
{
    json_signed(text, "self", self.value);
    json_signed(text, "total", total.value);
    json_number(text, "self_samples", self.n);
    json_number(text, "total_samples", total.n);
}

static const char *key_of(enum measure_by by)
{
    static const char *const keys[] = {[BY_FUNCTION] = "functions",
                                       [BY_MODULE] = "modules",
                                       [BY_SOURCE] = "sources",
                                       [BY_LINE] = "lines",
                                       [BY_PROCESS] = "processes",
                                       [BY_THREAD] = "threads",
                                       [BY_CPU] = "cpus"};

    return keys[by];
}

static void add_measure(struct text *text, const struct view *v, enum measure_by by)
{
    struct source_texts sources = {.n = 0};
    struct measure m;
    size_t n;

    measure_make(&m, &v->now.weights, by, view_keeps_addresses(v));
    measure_sort(&m, v->settings->sorts_by_total);
    n = view_rows(v, m.n, m.n);
    json_open_rows(text, key_of(by));
    for (size_t i = 0; i < n; i++) {
        text_char(text, '{');
        add_identity(text, &m.rows[i], by, &sources);
        add_weights(text, m.rows[i].self, m.rows[i].total);
        json_end_row(text, i + 1 == n);
    }
    json_end_rows(text);
}

static bool add_tree(struct text *text, const struct view *v)
{
    struct measure m;
    struct tree tree;
    bool found;

    view_make_tree(v, &m, &tree);
    found = tree.n > 0 || v->now.weights.total.value == 0;
    json_open_rows(text, v->settings->view == VIEW_CALLERS ? "callers" : "tree");
    for (size_t i = 0; i < tree.n; i++) {
        const struct tree_line *line = &tree.lines[i];

        text_char(text, '{');
        json_number(text, "depth", line->depth);
        if (line->row == TREE_NONE)
            json_number(text, "cut_branches", line->n_cut);
        else
            add_function(text, &m.rows[line->row]);
        add_weights(text, line->self, line->total);
        json_end_row(text, i + 1 == tree.n);
    }
    json_end_rows(text);
    return found;
}

static void add_share(struct text *text, const char *key, double share)
{
    json_key(text, key);
    text_printf(text, "%.6f,", share);
}

static void add_diff(struct text *text, const struct view *v)
{
    struct source_texts sources = {.n = 0};
    struct measure before;
    struct measure after;
    struct diff diff;
    size_t shown;

    view_make_diff(v, &before, &after, &diff);
    shown = view_rows(v, diff.n, diff.n);
    json_open(text, "before", '{');
    add_recorded(text, &v->before);
    json_end(text, '}');
    json_open_rows(text, "differences");
    for (size_t i = 0; i < shown; i++) {
        const struct diff_row *row = &diff.rows[i];

        text_char(text, '{');
        add_identity(text, row->row, after.by, &sources);
        json_signed(text, "before", row->before.value);
        json_signed(text, "after", row->after.value);
        add_share(text, "before_share", row->before_share);
        add_share(text, "after_share", row->after_share);
        add_share(text, "noise", row->noise);
        json_flag(text, "changed", i < diff.n_changed);
        json_flag(text, "new", !row->was_there);
        json_flag(text, "gone", !row->is_there);
        json_end_row(text, i + 1 == shown);
    }
    json_end_rows(text);
}

/* ---- All --------------------------------------------------------------------------- */

static const char *kind_name(enum fxt_profile_kind kind)
{
    static const char *const names[] = {[FXT_PROFILE_KIND_SAMPLES] = "samples",
                                        [FXT_PROFILE_KIND_SPANS] = "spans",
                                        [FXT_PROFILE_KIND_HEAPS] = "heaps",
                                        [FXT_PROFILE_KIND_CAPTURES] = "captures",
                                        [FXT_PROFILE_KIND_WAITS] = "waits",
                                        [FXT_PROFILE_KIND_WALL_CLOCK] = "intervals"};

    return names[kind];
}

static bool add_view(struct text *text, const struct view *v)
{
    const struct view_settings *s = v->settings;

    if (v->has_before) {
        add_diff(text, v);
        if (view_has_events(s))
            print_event_diff_json(v, text);
        return true;
    }
    if (s->view == VIEW_TREE || s->view == VIEW_CALLERS)
        return add_tree(text, v);
    if (s->view == VIEW_SPAN)
        return print_span(v, text);
    if (s->view == VIEW_TABLE) {
        add_measure(text, v, s->by);
        return true;
    }
    if (s->view == VIEW_SUMMARY || s->view == VIEW_SPANS) {
        add_measure(text, v, BY_FUNCTION);
        add_measure(text, v, BY_MODULE);
        add_measure(text, v, BY_PROCESS);
        add_measure(text, v, BY_THREAD);
    }
    print_events_json(v, text);
    return true;
}

bool print_json(const struct view *v, struct text *text)
{
    const struct weights *w = &v->now.weights;
    bool found;

    text_str(text, "{\"fxtreport\":1,");
    json_word(text, "kind", kind_name(fxt_profile_kind(v->now.profile)));
    json_open(text, "value", '{');
    json_word(text, "type", w->type.type);
    json_word(text, "unit", w->type.unit);
    json_end(text, '}');
    add_recorded(text, &v->now);
    if (fxt_profile_n_heap_points(v->now.profile) > 0)
        add_points(text, v->now.profile);
    found = add_view(text, v);
    json_end(text, '}');
    text->size--;
    text_char(text, '\n');
    return found;
}
