/* SPDX-License-Identifier: BSD-2-Clause */
/* See builder.h: from the first call to the profile. */
#include "builder.h"

#include <stdio.h>

#include "libfxt/options.h"

/* ---- Calls ------------------------------------------------------------------------- */

void builder_set_message(struct fxt_profile_builder *b, const char *name,
                         const char *message)
{
    snprintf(b->message, sizeof(b->message), "%s%s%s", name != NULL ? name : "",
             name != NULL ? ": " : "", message);
}

enum fxt_code builder_fail(struct fxt_profile_builder *b, enum fxt_code code,
                           const char *name, const char *message)
{
    b->code = code;
    builder_set_message(b, name, message);
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

/* ---- Beginning and end ------------------------------------------------------------- */

static bool are_possible(const struct fxt_profile_options *o)
{
    bool is_of_waits = pipeline_is_of_waits(o->source);

    if (o->source != FXT_PROFILE_SAMPLES && o->source != FXT_PROFILE_SPANS &&
        o->source != FXT_PROFILE_SUMS && !is_of_waits)
        return false;
    if (o->source == FXT_PROFILE_SUMS && o->keep_times)
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
    p->client = builder_client(builder);
    p->pipeline.symbolizer.finds_modules = o->find_modules;
    p->pipeline.symbolizer.no_inlines = o->no_inlines;
    p->pipeline.symbolizer.ignores_lines = o->ignore_lines;
    if (o->use_debuginfod)
        builder_use_servers(builder);
    p->pipeline.symbolizer.files.only_by_build_id = o->only_by_build_id;
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
    made.builder->on_download = copy.on_download;
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
        .options = o,
        .only_heap_counters = only != NULL && only->heap_refusal != NULL,
        .is_timeline = o->keep_events ||
                       (is_samples && (only != NULL ? only->is_timeline : o->keep_times)),
        .keeps_scheduling = o->keep_events || (only != NULL && only->keeps_scheduling),
        .has_times =
            o->keep_times ||
            (only != NULL && (only->keeps_times || (only->is_timeline && !is_samples))),
        .has_signed_times = only != NULL && only->has_signed_times,
        .keeps_pcs = only == NULL || only->keeps_pcs,
        .merges_mappings = only != NULL && only->merges_mappings,
        .is_any_order = only != NULL && only->sorts,
        .cpus = p->has_cpus ? &p->cpus : NULL,
        .window = p->has_window ? &p->window : NULL,
    };

    if (!p->is_started)
        pipeline_start(&p->pipeline, &settings);
    p->is_started = true;
}

static enum fxt_code finish_profile(struct fxt_profile_builder *b, void *context)
{
    struct fxt_profile *p = b->profile;

    (void)context;
    if (p->fed.is_open)
        return builder_fail(b, FXT_E_OUT_OF_ORDER, NULL, "a stream is not ended");
    builder_start(b);
    pipeline_finish(&p->pipeline, &p->filter);
    builder_report_results(b);
    builder_list_symbol_files(p);
    pipeline_forget_inputs(&p->pipeline);
    filter_free(&p->filter);
    p->filter = (struct filter){.hides_idle = false};
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
