/* SPDX-License-Identifier: BSD-2-Clause */
/* See print_span.h: the slowest spans, and what happened in them. */
#include "arg_text.h"
#include "tools/fxtreport/json.h"
#include "print_span.h"
#include "tools/fxtreport/names.h"
#include "tools/fxtreport/units.h"

/* How many of each kind of part a line of text has. */
enum { PARTS_SHOWN = 4 };

/* ---- Text -------------------------------------------------------------------------- */

/* A line below a span, which begins with what it is about. */
static void print_detail(const struct span_view *s, const char *first, struct text *line,
                         struct text *text)
{
    screen_wrap(text, &s->view->screen, first, line->data, line->size);
    line->size = 0;
}

static void add_more(struct text *line, size_t n)
{
    if (n <= PARTS_SHOWN)
        return;
    text_str(line, ", and ");
    units_number(line, n - PARTS_SHOWN);
    text_str(line, " more");
}

static void add_count_of(struct text *line, uint64_t count)
{
    text_str(line, " (");
    units_number(line, count);
    text_char(line, ')');
}

static void print_children(const struct span_view *s, const struct slow_span *span,
                           struct text *line, struct text *text)
{
    const struct slow_parts *children = &span->children;

    for (size_t i = 0; i < children->n && i < PARTS_SHOWN; i++) {
        const struct slow_part *part = &children->parts[i];

        text_str(line, i > 0 ? ", " : "");
        text_add(line, part->name.data, part->name.size);
        if (part->count > 1)
            add_count_of(line, part->count);
        text_char(line, ' ');
        units_time(line, part->ns);
    }
    add_more(line, children->n);
    if (children->n > 0)
        print_detail(s, "    spans in it: ", line, text);
}

/* A thread by its number, which is of the boot, and mostly of the process, of another. */
static void add_thread_name(const struct span_view *s,
                            const struct fxt_profile_event_thread *beside,
                            uint64_t thread, struct text *line)
{
    uint32_t index =
        span_threads_find(&s->threads, beside->boot, beside->process, thread);

    if (index != FXT_PROFILE_NONE) {
        span_threads_name(&s->threads, index, line);
        return;
    }
    text_str(line, "thread ");
    text_u64(line, thread);
}

static void print_scheduling(const struct span_view *s, const struct slow_span *span,
                             struct text *line, struct text *text)
{
    struct fxt_profile_event_thread thread;

    if (!span->is_scheduled)
        return;
    fxt_profile_get_event_thread(s->set.profile, span->event.thread, &thread);
    text_str(line, "ran ");
    units_time(line, span->run_ns);
    text_str(line, ", waited for a CPU ");
    units_time(line, span->wait_ns);
    text_str(line, ", was blocked ");
    units_time(line, span->blocked_ns);
    if (span->unknown_ns > 0) {
        text_str(line, ", unknown ");
        units_time(line, span->unknown_ns);
    }
    for (size_t i = 0; i < span->wakers.n && i < PARTS_SHOWN; i++) {
        const struct slow_part *part = &span->wakers.parts[i];

        text_str(line, i > 0 ? ", " : "; woken by ");
        add_thread_name(s, &thread, part->thread, line);
        if (part->count > 1)
            add_count_of(line, part->count);
        text_str(line, " after ");
        units_time(line, part->ns);
    }
    add_more(line, span->wakers.n);
    print_detail(s, "    ", line, text);
}

static void print_functions(const struct span_view *s, const struct slow_span *span,
                            struct text *line, struct text *text)
{
    if (span->n_samples == 0)
        return;
    text_count(line, span->n_samples, "sample");
    for (size_t i = 0; i < span->functions.n && i < PARTS_SHOWN; i++) {
        const struct slow_part *part = &span->functions.parts[i];

        text_str(line, i > 0 ? ", " : ": ");
        text_add(line, part->name.data, part->name.size);
        text_char(line, ' ');
        units_number(line, part->count);
    }
    add_more(line, span->functions.n);
    print_detail(s, "    ", line, text);
}

static void print_slow_span(const struct span_view *s, const struct slow_span *span,
                            struct text *text)
{
    struct text line = {NULL, 0, 0};

    units_time(&line, span->event.end_ns - span->event.time_ns);
    text_str(&line, ", self ");
    units_time(&line, span->nesting.self_ns);
    text_str(&line, ", at ");
    print_span_clock(&line, span->event.time_ns);
    text_str(&line, ", ");
    if (s->set.n_names > 1) {
        text_add(&line, span->event.name.data, span->event.name.size);
        text_str(&line, " on ");
    }
    span_threads_name(&s->threads, span->event.thread, &line);
    if (span->event.is_unfinished)
        text_str(&line, ", never ended");
    print_detail(s, "", &line, text);
    if (span->event.n_args > 0) {
        size_t width = s->view->screen.width;

        arg_text_add_all(&line, s->set.profile, span->index);
        text_str(text, "    ");
        names_add_start(text, line.data, line.size,
                        width == NAMES_ANY_WIDTH ? width : width - 4);
        text_char(text, '\n');
        line.size = 0;
    }
    print_children(s, span, &line, text);
    print_scheduling(s, span, &line, text);
    print_functions(s, span, &line, text);
    text_free(&line);
}

void print_slowest(const struct span_view *s, struct text *text)
{
    struct text none = {NULL, 0, 0};
    struct slowest slowest;

    slowest_make(&slowest, &s->set, &s->threads);
    print_span_title(s, "Slowest", &none, text);
    for (size_t i = 0; i < slowest.n; i++)
        print_slow_span(s, &slowest.spans[i], text);
}

/* ---- JSON -------------------------------------------------------------------------- */

static void add_args(const struct span_view *s, const struct slow_span *span,
                     struct text *text)
{
    struct fxt_profile_event_arg arg;

    json_open(text, "args", '[');
    for (uint32_t i = 0; i < span->event.n_args; i++) {
        fxt_profile_get_event_arg(s->set.profile, span->index, i, &arg);
        json_open(text, NULL, '{');
        json_string(text, "name", arg.name);
        json_key(text, "value");
        arg_text_add_json(text, &arg);
        json_end(text, '}');
    }
    json_end(text, ']');
}

static void add_children(const struct slow_span *span, struct text *text)
{
    json_open(text, "children", '[');
    for (size_t i = 0; i < span->children.n; i++) {
        json_open(text, NULL, '{');
        json_string(text, "name", span->children.parts[i].name);
        json_number(text, "count", span->children.parts[i].count);
        json_number(text, "total_ns", span->children.parts[i].ns);
        json_end(text, '}');
    }
    json_end(text, ']');
}

static void add_scheduling(const struct slow_span *span, struct text *text)
{
    if (!span->is_scheduled)
        return;
    json_number(text, "run_ns", span->run_ns);
    json_number(text, "wait_ns", span->wait_ns);
    json_number(text, "blocked_ns", span->blocked_ns);
    json_number(text, "unknown_ns", span->unknown_ns);
    json_open(text, "woken_by", '[');
    for (size_t i = 0; i < span->wakers.n; i++) {
        json_open(text, NULL, '{');
        json_number(text, "thread", span->wakers.parts[i].thread);
        json_number(text, "count", span->wakers.parts[i].count);
        json_number(text, "blocked_ns", span->wakers.parts[i].ns);
        json_end(text, '}');
    }
    json_end(text, ']');
}

static void add_functions(const struct slow_span *span, struct text *text)
{
    if (span->n_samples == 0)
        return;
    json_number(text, "samples", span->n_samples);
    json_open(text, "functions", '[');
    for (size_t i = 0; i < span->functions.n; i++) {
        json_open(text, NULL, '{');
        json_string(text, "name", span->functions.parts[i].name);
        json_number(text, "samples", span->functions.parts[i].count);
        json_end(text, '}');
    }
    json_end(text, ']');
}

void print_slowest_json(const struct span_view *s, struct text *text)
{
    struct slowest slowest;

    slowest_make(&slowest, &s->set, &s->threads);
    json_open(text, "slowest", '[');
    for (size_t i = 0; i < slowest.n; i++) {
        const struct slow_span *span = &slowest.spans[i];

        text_str(text, "\n{");
        json_string(text, "name", span->event.name);
        json_number(text, "time_ns", span->event.time_ns);
        json_number(text, "duration_ns", span->event.end_ns - span->event.time_ns);
        json_number(text, "self_ns", span->nesting.self_ns);
        json_number(text, "depth", span->nesting.depth);
        json_flag(text, "unfinished", span->event.is_unfinished);
        print_span_thread_json(s, span->event.thread, text);
        add_args(s, span, text);
        add_children(span, text);
        add_scheduling(span, text);
        add_functions(span, text);
        json_end(text, '}');
    }
    json_end(text, ']');
}
