/* SPDX-License-Identifier: BSD-2-Clause */
/* See builder.h: messages and questions to the user while inputs are read. */
#include "builder.h"

/* ---- Reports ----------------------------------------------------------------------- */

struct reporting {
    const struct fxt_profile_builder *builder;
    const struct fxt_profile_report *report;
};

static void report_outside(void *context)
{
    const struct reporting *r = (const struct reporting *)context;

    r->builder->on_report(r->builder->context, r->report);
}

void builder_report(const struct fxt_profile_builder *b,
                    const struct fxt_profile_report *report)
{
    struct reporting reporting = {b, report};

    if (b->on_report != NULL)
        memory_run_outside(report_outside, &reporting);
}

/* The same about the input that is being read. */
static void report_input(const struct fxt_profile_builder *b,
                         struct fxt_profile_report report)
{
    report.input = b->profile->input;
    builder_report(b, &report);
}

static void start_input(void *context, size_t file)
{
    struct fxt_profile *p = ((struct fxt_profile_builder *)context)->profile;

    p->input = p->n_inputs + file;
}

static void report_error(void *context, const char *name, const struct fxt_error *error)
{
    report_input((const struct fxt_profile_builder *)context,
                 (struct fxt_profile_report){.kind = FXT_PROFILE_REPORT_RECORD,
                                             .severity = error->severity,
                                             .error = error,
                                             .name = name,
                                             .message = error->message});
}

static void report_fault(void *context, const char *name, const char *message)
{
    report_input((const struct fxt_profile_builder *)context,
                 (struct fxt_profile_report){.kind = FXT_PROFILE_REPORT_CAPTURE,
                                             .severity = FXT_ERROR,
                                             .name = name,
                                             .message = message});
}

/* The first fatal report of a call becomes the builder's message if the call fails. */
static void report_message(void *context, const char *name, enum fxt_severity severity,
                           const char *message)
{
    struct fxt_profile_builder *b = (struct fxt_profile_builder *)context;

    report_input(b, (struct fxt_profile_report){.kind = FXT_PROFILE_REPORT_INPUT,
                                                .severity = severity,
                                                .name = name,
                                                .message = message});
    if (severity == FXT_FATAL && b->message[0] == '\0')
        builder_set_message(b, name, message);
}

/* ---- Progress ---------------------------------------------------------------------- */

struct progress {
    const struct fxt_profile_builder *builder;
    uint64_t n_bytes;
};

static void progress_outside(void *context)
{
    const struct progress *p = (const struct progress *)context;

    p->builder->on_progress(p->builder->context, p->n_bytes);
}

static void add_progress(void *context, size_t n_bytes)
{
    const struct fxt_profile_builder *b = (const struct fxt_profile_builder *)context;
    struct progress progress = {b, n_bytes};

    if (b->on_progress != NULL)
        memory_run_outside(progress_outside, &progress);
}

struct download {
    const struct fxt_profile_builder *builder;
    const char *name;
    uint64_t n_bytes;
    uint64_t total;
};

static void download_outside(void *context)
{
    const struct download *d = (const struct download *)context;

    d->builder->on_download(d->builder->context, d->name, d->n_bytes, d->total);
}

static void add_download(void *context, const char *name, uint64_t n_bytes,
                         uint64_t total)
{
    const struct fxt_profile_builder *b = (const struct fxt_profile_builder *)context;
    struct download download = {b, name, n_bytes, total};

    if (b->on_download != NULL)
        memory_run_outside(download_outside, &download);
}

void builder_use_servers(struct fxt_profile_builder *b)
{
    struct debug_servers *servers = &b->profile->pipeline.symbolizer.files.servers;

    servers->on_progress = add_download;
    servers->context = b;
    debug_servers_start(servers);
}

/* ---- Captures ---------------------------------------------------------------------- */

struct acceptance {
    const struct fxt_profile_builder *builder;
    const char *name;
    enum fxt_profile_content content;
    bool accepted;
};

static void accept_outside(void *context)
{
    struct acceptance *a = (struct acceptance *)context;
    const struct fxt_profile_builder *b = a->builder;

    a->accepted = b->accept_captures(b->context, b->profile->input, a->name, a->content);
}

static bool accept_input(void *context, const char *name,
                         enum fxt_profile_content content)
{
    struct fxt_profile_builder *b = (struct fxt_profile_builder *)context;
    struct acceptance a = {
        .builder = b, .name = name, .content = content, .accepted = true};

    if (b->accept_captures != NULL)
        memory_run_outside(accept_outside, &a);
    if (a.accepted && b->profile->options.only_heaps) {
        report_message(b, name, FXT_FATAL, "captures of stacks have no heaps");
        return false;
    }
    return a.accepted;
}

/* ---- All of it --------------------------------------------------------------------- */

struct import_client builder_client(struct fxt_profile_builder *b)
{
    return (struct import_client){.context = b,
                                  .on_start = start_input,
                                  .on_read = add_progress,
                                  .on_error = report_error,
                                  .on_fault = report_fault,
                                  .on_message = report_message,
                                  .accepts = accept_input};
}
