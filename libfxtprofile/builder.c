/* SPDX-License-Identifier: BSD-2-Clause */
/* See builder.h: from the first call to the profile. */
#include "builder.h"

#include <stdio.h>

#include "common/base/quote.h"
#include "libfxt/options.h"
#include "libfxtprofile/import/import.h"
#include "libfxtprofile/losses.h"
#include "libfxtprofile/profile/missing_files.h"
#include "libfxtprofile/symbols/kallsyms.h"

/* ---- Calls ------------------------------------------------------------------------- */

static void set_message(struct fxt_profile_builder *b, const char *name,
                        const char *message)
{
    snprintf(b->message, sizeof(b->message), "%s%s%s", name != NULL ? name : "",
             name != NULL ? ": " : "", message);
}

enum fxt_code builder_fail(struct fxt_profile_builder *b, enum fxt_code code,
                           const char *name, const char *message)
{
    b->code = code;
    set_message(b, name, message);
    return code;
}

struct call {
    struct fxt_profile_builder *builder;
    builder_fn *run;
    void *context;
    enum fxt_code code;
};

static void run_call(void *context)
{
    struct call *call = (struct call *)context;

    call->code = call->run(call->builder, call->context);
}

/* Frees everything: what memory_run was interrupted in may be inconsistent. */
static enum fxt_code give_up_profile(struct fxt_profile_builder *b, const char *why)
{
    enum fxt_code code = why == MEMORY_EXHAUSTED ? FXT_E_NO_MEMORY : FXT_E_FILE;

    memory_pool_destroy(b->profile->pool);
    b->profile = NULL;
    return builder_fail(b, code, NULL, why);
}

static bool is_failure(enum fxt_code code)
{
    return code != FXT_OK && code != FXT_NEED_MORE && code != FXT_END &&
           code != FXT_E_SIZE_ZERO;
}

enum fxt_code builder_call(struct fxt_profile_builder *b, builder_fn *run, void *context)
{
    struct call call = {b, run, context, FXT_OK};
    const char *why;

    if (b->is_busy)
        return FXT_E_BUSY;
    if (b->code != FXT_OK)
        return b->code;
    if (b->profile == NULL)
        return builder_fail(b, FXT_E_OUT_OF_ORDER, NULL, "the builder is finished");
    b->is_busy = true;
    why = memory_run(b->profile->pool, run_call, &call);
    b->is_busy = false;
    if (why != NULL)
        return give_up_profile(b, why);
    if (is_failure(call.code) && b->code == FXT_OK)
        return builder_fail(b, call.code, NULL, fxt_code_message(call.code));
    return call.code;
}

const char *fxt_profile_builder_message(const struct fxt_profile_builder *b)
{
    return b->code != FXT_OK ? b->message : fxt_code_message(FXT_OK);
}

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
        set_message(b, name, message);
}

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

static bool accept_input(void *context, const char *name, enum import_from from)
{
    struct fxt_profile_builder *b = (struct fxt_profile_builder *)context;
    struct acceptance a = {.builder = b,
                           .name = name,
                           .content = builder_content_of(from),
                           .accepted = true};

    if (b->accept_captures != NULL)
        memory_run_outside(accept_outside, &a);
    if (a.accepted && b->profile->options.only_heaps) {
        report_message(b, name, FXT_FATAL, "captures of stacks have no heaps");
        return false;
    }
    return a.accepted;
}

/* ---- Beginning and end ------------------------------------------------------------- */

static bool is_source_of_waits(enum fxt_profile_source source)
{
    return source == FXT_PROFILE_OFF_CPU || source == FXT_PROFILE_WAKEUPS ||
           source == FXT_PROFILE_WALL_CLOCK;
}

static bool are_possible(const struct fxt_profile_options *o)
{
    bool is_of_waits = is_source_of_waits(o->source);

    if (o->source != FXT_PROFILE_SAMPLES && o->source != FXT_PROFILE_SPANS &&
        !is_of_waits)
        return false;
    if (o->source != FXT_PROFILE_SAMPLES && o->only_heaps)
        return false;
    if (o->source != FXT_PROFILE_SAMPLES && o->keep_events)
        return false;
    if (o->min_wait_ns > 0 && !is_of_waits)
        return false;
    if (o->max_bytes > SIZE_MAX || o->start_ns > INT64_MAX)
        return false;
    return o->format == FXT_PROFILE_FORMAT_ANY || output_format_of(o->format) != NULL;
}

struct creation {
    struct fxt_profile_builder *builder;
    struct fxt_profile *profile;
};

static void make_builder(void *context)
{
    struct creation *c = (struct creation *)context;

    c->builder = (struct fxt_profile_builder *)memory_allocate(sizeof(*c->builder));
}

static void make_profile(void *context)
{
    struct creation *c = (struct creation *)context;

    c->profile = (struct fxt_profile *)memory_allocate(sizeof(*c->profile));
}

static void start_profile(struct fxt_profile *p, const struct fxt_profile_options *o,
                          struct fxt_profile_builder *builder)
{
    p->options = *o;
    p->client = (struct import_client){.context = builder,
                                       .on_start = start_input,
                                       .on_read = add_progress,
                                       .on_error = report_error,
                                       .on_fault = report_fault,
                                       .on_message = report_message,
                                       .accepts = accept_input};
    p->pipeline.symbolizer.finds_modules = o->find_modules;
    p->pipeline.symbolizer.no_inlines = o->no_inlines;
    p->pipeline.symbolizer.ignores_lines = o->ignore_lines;
    p->pipeline.symbolizer.files.asks_servers = o->use_debuginfod;
    pipeline_init(&p->pipeline);
}

enum fxt_code fxt_profile_builder_create(const struct fxt_profile_options *options,
                                         struct fxt_profile_builder **builder)
{
    struct fxt_profile_options copy = {.size = sizeof(copy)};
    struct creation made = {NULL, NULL};
    struct memory_pool *pool;

    *builder = NULL;
    if ((options != NULL && !options_copy(&copy, sizeof(copy), options)) ||
        !are_possible(&copy))
        return FXT_E_INVALID;
    pool = memory_pool_create((size_t)copy.max_bytes);
    if (pool == NULL)
        return FXT_E_NO_MEMORY;
    if (memory_run(pool, make_profile, &made) != NULL ||
        memory_run(NULL, make_builder, &made) != NULL) {
        memory_pool_destroy(pool);
        return FXT_E_NO_MEMORY;
    }
    made.profile->pool = pool;
    made.builder->profile = made.profile;
    made.builder->on_report = copy.on_report;
    made.builder->on_progress = copy.on_progress;
    made.builder->accept_captures = copy.accept_captures;
    made.builder->context = copy.context;
    start_profile(made.profile, &copy, made.builder);
    *builder = made.builder;
    return FXT_OK;
}

void fxt_profile_builder_destroy(struct fxt_profile_builder *b)
{
    if (b == NULL || b->is_busy)
        return;
    fxt_profile_destroy(b->profile);
    memory_release(b);
}

void fxt_profile_destroy(struct fxt_profile *p)
{
    if (p != NULL)
        memory_pool_destroy(p->pool);
}

void builder_start(struct fxt_profile_builder *b)
{
    struct fxt_profile *p = b->profile;
    const struct fxt_profile_options *o = &p->options;
    const struct output_format *only = output_format_of(o->format);
    bool is_samples = o->source == FXT_PROFILE_SAMPLES;
    struct pipeline_settings settings = {
        .spans = o->source == FXT_PROFILE_SPANS,
        .waits = is_source_of_waits(o->source),
        .wall_clock = o->source == FXT_PROFILE_WALL_CLOCK,
        .wakeups = o->source == FXT_PROFILE_WAKEUPS,
        .min_wait_ns = o->min_wait_ns,
        .only_heap = o->only_heaps,
        .only_heap_counters = only != NULL && only->heap_refusal != NULL,
        .with_tags = o->keep_blocks,
        .is_zircon_arm64 = o->is_zircon_arm64,
        .is_timeline = o->keep_events ||
                       (is_samples && (only != NULL ? only->is_timeline : o->keep_times)),
        .nests_events = o->keep_events,
        .has_times =
            o->keep_times ||
            (only != NULL && (only->keeps_times || (only->is_timeline && !is_samples))),
        .has_signed_times = only != NULL && only->has_signed_times,
        .keeps_pcs = only == NULL || only->keeps_pcs,
        .merges_mappings = only != NULL && only->merges_mappings,
        .shows_ends = o->show_cuts,
        .uses_running_kernel = o->use_running_kernel,
        .is_any_order = only != NULL && only->sorts,
        .cpus = p->has_cpus ? &p->cpus : NULL,
        .window = p->has_window ? &p->window : NULL,
    };

    if (!p->is_started)
        pipeline_start(&p->pipeline, &settings);
    p->is_started = true;
}

static void report_symbols(const struct fxt_profile_builder *b,
                           enum fxt_profile_report_kind kind, const char *name,
                           const char *message)
{
    builder_report(
        b, &(struct fxt_profile_report){
               .kind = kind, .severity = FXT_WARNING, .name = name, .message = message});
}

/* Reports files without samples: their address may be wrong, which looks as if they had
 * no symbols. */
static void report_unused_files(const struct fxt_profile_builder *b)
{
    const struct fxt_profile *p = b->profile;
    const struct profile *model = &p->pipeline.profile;

    for (size_t i = 0; i < p->n_module_files && model->n_samples > 0; i++) {
        size_t used = 0;

        while (used < model->n_mappings && model->mappings[used].rank != i)
            used++;
        if (used == model->n_mappings)
            report_symbols(b, FXT_PROFILE_REPORT_UNUSED_FILE, p->module_files[i],
                           "no sample has an address in this file");
    }
}

static void report_debug_files(const struct fxt_profile_builder *b)
{
    const struct symbolizer *symbolizer = &b->profile->pipeline.symbolizer;
    const struct string_table *refused = &symbolizer->files.report.final;
    struct text sentence = {NULL, 0, 0};

    for (uint32_t i = 0; i < refused->n; i++) {
        struct string line = string_table_get(refused, i);

        sentence.size = 0;
        text_add(&sentence, line.data, line.size);
        text_char(&sentence, '\0');
        report_symbols(b, FXT_PROFILE_REPORT_DEBUG_FILE, NULL, sentence.data);
    }
    text_free(&sentence);
}

/* What is at the path of a file may be another one by now. */
static void describe_absence(struct text *sentence, const struct missing_file *file)
{
    struct text now = {NULL, 0, 0};

    if (file->build_id.size == 0 || !debug_files_read_build_id(file->name, &now)) {
        text_str(sentence, ": not found; ");
    } else {
        text_str(sentence, ": replaced: build id ");
        quote_text(sentence, file->build_id.data, file->build_id.size);
        text_str(sentence, ", now ");
        text_add(sentence, now.size > 0 ? now.data : "none", now.size > 0 ? now.size : 4);
        text_str(sentence, "; ");
    }
    text_free(&now);
}

static void report_missing_files(const struct fxt_profile_builder *b)
{
    const struct profile *model = &b->profile->pipeline.profile;
    struct missing_files missing = {.n = 0};
    struct text sentence = {NULL, 0, 0};

    missing_files_find(&missing, model);
    for (size_t i = 0; i < missing.n; i++) {
        const struct missing_file *file = &missing.all[i];

        sentence.size = 0;
        quote_text(&sentence, file->name.data, file->name.size);
        describe_absence(&sentence, file);
        text_count(&sentence, file->n_samples, losses_noun(model));
        text_str(&sentence, " without its names");
        text_char(&sentence, '\0');
        report_symbols(b, FXT_PROFILE_REPORT_MISSING_FILE, NULL, sentence.data);
    }
    missing_files_free(&missing);
    text_free(&sentence);
}

static void report_results(const struct fxt_profile_builder *b)
{
    if (b->profile->pipeline.looks_restorable)
        report_symbols(b, FXT_PROFILE_REPORT_SAMPLER, NULL,
                       "many callers are recorded twice, 4 bytes apart: the recording "
                       "may be Zircon's for arm64");
    report_debug_files(b);
    report_unused_files(b);
    report_missing_files(b);
}

/* Frees what a profile does not need. */
static void forget_inputs(struct fxt_profile *p)
{
    struct pipeline *l = &p->pipeline;

    modules_free(&l->modules);
    symbolizer_free(&l->symbolizer);
    spans_free(&l->spans);
    waits_free(&l->waits);
    events_free(&l->events);
    heap_free(&l->heap);
    blob_store_free(&l->blobs);
    filter_free(&p->filter);
    l->modules = (struct modules){.n_modules = 0};
    l->symbolizer = (struct symbolizer){.n = 0};
    l->spans = (struct spans){.n_events = 0};
    l->waits = (struct waits){.n_traces = 0};
    l->events = (struct events){.capacity = 0};
    l->heap = (struct heap){.n_stacks = 0};
    l->blobs = (struct blob_store){.n = 0};
    p->filter = (struct filter){.hides_idle = false};
}

static enum fxt_code finish_profile(struct fxt_profile_builder *b, void *context)
{
    struct fxt_profile *p = b->profile;
    struct pipeline_wishes wishes = {.filter = &p->filter,
                                     .period_ns = p->options.period_ns,
                                     .start_ns = p->options.start_ns,
                                     .without_names = p->options.ignore_renames};

    (void)context;
    if (p->fed.is_open)
        return builder_fail(b, FXT_E_OUT_OF_ORDER, NULL, "a stream is not ended");
    builder_start(b);
    pipeline_finish(&p->pipeline, &wishes);
    report_results(b);
    builder_list_symbol_files(p);
    forget_inputs(p);
    return FXT_OK;
}

enum fxt_code fxt_profile_builder_finish(struct fxt_profile_builder *b,
                                         struct fxt_profile **profile)
{
    enum fxt_code code;

    *profile = NULL;
    code = builder_call(b, finish_profile, NULL);
    if (code != FXT_OK)
        return code;
    *profile = b->profile;
    b->profile = NULL;
    return FXT_OK;
}
