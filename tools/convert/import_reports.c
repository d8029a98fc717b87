/* SPDX-License-Identifier: BSD-2-Clause */
/* See import_reports.h. */
#include "import_reports.h"

#include "options_uses.h"

static void start(void *context, const char *name)
{
    struct import_reports *r = (struct import_reports *)context;

    r->report = (struct report){
        .program = r->options->program, .input = name, .max_lines = REPORT_DEFAULT_LINES};
    if (r->options->verbose)
        r->report.max_lines = UINT64_MAX;
    if (r->options->quiet)
        r->report.max_lines = 0;
    r->n_faults = 0;
}

static void end(void *context, const char *name)
{
    struct import_reports *r = (struct import_reports *)context;

    report_rest(&r->report);
    if (r->report.max_lines > 0 && r->n_faults > r->report.max_lines)
        complain(r->options->program, name, "%llu more such lines not printed",
                 (unsigned long long)(r->n_faults - r->report.max_lines));
}

static void print_error(void *context, const char *name, const struct fxt_error *error)
{
    struct import_reports *r = (struct import_reports *)context;

    report_error(&r->report, name, error);
}

static void print_fault(void *context, const char *name, const char *message)
{
    struct import_reports *r = (struct import_reports *)context;

    if (r->n_faults++ < r->report.max_lines)
        complain(r->options->program, name, "%s", message);
}

static void print_message(void *context, const char *name, enum fxt_severity severity,
                          const char *message)
{
    struct import_reports *r = (struct import_reports *)context;

    if (severity >= FXT_ERROR || !r->options->quiet)
        complain(r->options->program, name, "%s", message);
}

static bool accepts(void *context, const char *name, enum import_from from)
{
    const struct options *o = ((struct import_reports *)context)->options;

    if (o->format == &output_markup) {
        complain(o->program, name,
                 "captured stacks have no addresses, which markup needs");
        return false;
    }
    return options_check_input(o, name, from == FROM_GDB ? INPUT_GDB : INPUT_JSON);
}

void import_reports_start(struct import_reports *r, const struct options *options)
{
    r->options = options;
    r->client = (struct import_client){.context = r,
                                       .on_start = start,
                                       .on_end = end,
                                       .on_error = print_error,
                                       .on_fault = print_fault,
                                       .on_message = print_message,
                                       .accepts = accepts};
}
