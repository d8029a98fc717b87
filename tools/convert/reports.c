/* SPDX-License-Identifier: BSD-2-Clause */
/* See reports.h. */
#include "reports.h"

#include "common/base/io/progress.h"
#include "common/base/memory.h"
#include "option_groups.h"

/* ---- Inputs ------------------------------------------------------------------------ */

/* The base of a difference comes after all others. */
static const char *input_name(const struct options *o, size_t input)
{
    return input < o->n_files ? o->files[input].path : o->base;
}

void reports_end_inputs(struct reports *r)
{
    const char *name;

    if (!r->has_input)
        return;
    name = input_name(r->options, r->input);
    report_rest(&r->report);
    if (r->report.max_lines > 0 && r->n_faults > r->report.max_lines)
        complain(r->options->program, name, "%llu more such lines not printed",
                 (unsigned long long)(r->n_faults - r->report.max_lines));
    r->has_input = false;
}

static void start_input(struct reports *r, size_t input)
{
    if (r->has_input && r->input == input)
        return;
    reports_end_inputs(r);
    r->has_input = true;
    r->input = input;
    r->n_faults = 0;
    r->report = (struct report){
        .program = r->options->program,
        .input = input_name(r->options, input),
        .max_lines = report_max_lines(r->options->quiet, r->options->verbose)};
}

static void print_message(const struct reports *r,
                          const struct fxt_profile_report *report)
{
    if (report->severity >= FXT_ERROR || !r->options->quiet)
        complain(r->options->program, report->name, "%s", report->message);
}

static bool accept_captures(void *context, size_t input, const char *name,
                            enum fxt_profile_content content)
{
    const struct options *o = ((const struct reports *)context)->options;

    (void)input;
    if (o->format.capture_refusal != NULL)
        return complain(o->program, name, "%s", o->format.capture_refusal);
    if (content == FXT_PROFILE_CONTENT_FOLDED && o->format.heap_refusal != NULL)
        return complain(
            o->program, name,
            "folded stacks are sums: they lack the times that this format has");
    return options_check_captures(o, name, content);
}

static void add_progress(void *context, uint64_t n_bytes)
{
    (void)context;
    progress_add(n_bytes);
}

/* ---- The rest ---------------------------------------------------------------------- */

static void hold_report(struct reports *r, const struct fxt_profile_report *report)
{
    struct held_report *held;

    r->held = memory_grow(r->held, r->n_held, &r->held_capacity, sizeof(*r->held));
    held = &r->held[r->n_held++];
    *held = (struct held_report){.kind = report->kind};
    held->message = memory_copy_string(report->message);
    if (report->name != NULL)
        held->name = memory_copy_string(report->name);
}

static void take_report(void *context, const struct fxt_profile_report *report)
{
    struct reports *r = (struct reports *)context;

    switch (report->kind) {
    case FXT_PROFILE_REPORT_INPUT:
        start_input(r, report->input);
        print_message(r, report);
        return;
    case FXT_PROFILE_REPORT_RECORD:
        start_input(r, report->input);
        report_error(&r->report, report->name, report->error);
        return;
    case FXT_PROFILE_REPORT_CAPTURE:
        start_input(r, report->input);
        if (r->n_faults++ < r->report.max_lines)
            print_message(r, report);
        return;
    case FXT_PROFILE_REPORT_SYMBOLS:
        print_message(r, report);
        return;
    case FXT_PROFILE_REPORT_DEBUG_FILE:
    case FXT_PROFILE_REPORT_UNUSED_FILE:
    case FXT_PROFILE_REPORT_SAMPLER:
    case FXT_PROFILE_REPORT_MISSING_FILE:
    case FXT_PROFILE_REPORT_DEBUGINFOD:
    case FXT_PROFILE_REPORT_REMEDY:
        hold_report(r, report);
        return;
    }
}

bool reports_have(const struct reports *r, enum fxt_profile_report_kind kind)
{
    for (size_t i = 0; i < r->n_held; i++) {
        if (r->held[i].kind == kind)
            return true;
    }
    return false;
}

void reports_print(const struct reports *r, enum fxt_profile_report_kind kind,
                   const char *message)
{
    for (size_t i = 0; i < r->n_held; i++) {
        const struct held_report *held = &r->held[i];

        if (held->kind == kind)
            complain(r->options->program, held->name, "%s",
                     message != NULL ? message : held->message);
    }
}

void reports_print_first(const struct reports *r, enum fxt_profile_report_kind kind,
                         size_t max, const char *of_more)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n_held; i++) {
        const struct held_report *held = &r->held[i];

        if (held->kind == kind && n++ < max)
            complain(r->options->program, held->name, "%s", held->message);
    }
    if (n > max)
        complain(r->options->program, NULL, "and %zu more %s", n - max, of_more);
}

void reports_add_remedies(const struct reports *r, struct text *text)
{
    for (size_t i = 0; i < r->n_held; i++) {
        if (r->held[i].kind == FXT_PROFILE_REPORT_REMEDY)
            text_printf(text, "    %s\n", r->held[i].message);
    }
}

void reports_print_remedies(const struct reports *r)
{
    struct text text = {NULL, 0, 0};

    reports_add_remedies(r, &text);
    report_remedies(r->options->program, &text);
}

void reports_start(struct reports *r, const struct options *options,
                   struct fxt_profile_options *build)
{
    r->options = options;
    build->on_report = take_report;
    build->on_progress = add_progress;
    build->on_download = progress_download;
    build->accept_captures = accept_captures;
    build->context = r;
}
