/* SPDX-License-Identifier: BSD-2-Clause */
/* See pipeline.h. */
#include "pipeline.h"

#include "libfxtprofile/import/import.h"
#include "libfxtprofile/import/sampler_pcs.h"
#include "libfxtprofile/losses.h"
#include "libfxtprofile/profile/locate.h"
#include "libfxtprofile/profile/stack_ends.h"

/* ---- What is counted --------------------------------------------------------------- */

/* Samples are only counted at first: their period may be known only after them. Spans
 * have times. */
static void choose_types(struct pipeline *l, bool spans)
{
    struct profile_builder *b = &l->builder;

    if (spans) {
        profile_builder_add_type(b, "spans", "count");
        profile_builder_add_type(b, "time", "nanoseconds");
        b->profile.default_type = 1;
        return;
    }
    profile_builder_add_type(b, "samples", "count");
    l->collect.values[0] = 1;
}

/* With a known period, the number of samples is also time. */
static void set_period(struct pipeline *l, uint64_t period_ns)
{
    const struct recording *recording = &l->collect.recording;

    if (period_ns == 0)
        period_ns = recording->period_ns;
    if (l->collect.spans != NULL || l->builder.profile.is_of_heap)
        return;
    if (period_ns > 0)
        profile_builder_set_period(&l->builder, period_ns);
    else if (recording->periods_differ)
        profile_builder_add_comment(&l->builder,
                                    "no CPU time: the recordings have different periods");
}

static void set_times(struct pipeline *l, uint64_t start_ns)
{
    const struct collect *from = &l->collect;
    struct profile *p = &l->builder.profile;
    uint64_t duration_ns = from->times.last_ns - from->times.first_ns;

    if (start_ns == 0 && from->times.has_start)
        start_ns = from->times.start_ns;
    /* Readers of the profile have signed numbers for both. */
    p->start_ns = start_ns <= INT64_MAX ? start_ns : 0;
    p->duration_ns = duration_ns <= INT64_MAX ? duration_ns : INT64_MAX;
}

/* ---- The profile ------------------------------------------------------------------- */

void pipeline_init(struct pipeline *l)
{
    profile_builder_init(&l->builder);
}

void pipeline_start(struct pipeline *l, const struct pipeline_settings *settings)
{
    l->collect.builder = &l->builder;
    l->collect.modules = &l->modules;
    l->collect.cpus = settings->cpus;
    l->collect.window = settings->window;
    l->collect.is_zircon_arm64 = settings->is_zircon_arm64;
    l->collect.spans = settings->spans ? &l->spans : NULL;
    l->collect.heap = &l->heap;
    l->collect.blobs = &l->blobs;
    l->collect.only_heap = settings->only_heap;
    l->heap.with_tags = settings->with_tags;
    l->heap.window = settings->window;
    choose_types(l, settings->spans);
    l->builder.profile.has_times = settings->has_times;
    l->builder.keeps_pcs = settings->keeps_pcs;
    l->builder.merges_mappings = settings->merges_mappings;
    l->builder.shows_ends = settings->shows_ends;
    l->builder.is_any_order = settings->is_any_order && !settings->has_times;
}

void pipeline_load(struct pipeline *l, const struct import_settings *settings)
{
    load_inputs(settings, &l->collect, &l->loaded);
}

void pipeline_load_open(struct pipeline *l, const struct import_settings *settings,
                        struct input *input, const struct import_file *file)
{
    load_input(settings, &l->collect, &l->loaded, input, file);
}

void pipeline_finish(struct pipeline *l, const struct pipeline_wishes *wishes)
{
    struct profile_builder *b = &l->builder;
    struct filter_tally *filtered = &l->collect.tally.filtered;

    modules_finish(&l->modules);
    collect_finish(&l->collect, &l->symbolizer);
    import_finish(b);
    set_times(l, wishes->start_ns);
    l->looks_restorable = !l->collect.is_zircon_arm64 && sampler_pcs_look_restorable(b);
    b->is_any_order_of_labels = !modules_have_processes(&l->modules);
    profile_builder_sort(b);
    set_period(l, wishes->period_ns);
    filter_samples(wishes->filter, b, filtered);
    if (wishes->without_names)
        profile_builder_forget_names(b);
    profile_locate(b, &l->modules, &l->symbolizer);
    filter_stacks(wishes->filter, b, filtered);
    stack_ends_count(b);
    tally_subtract_filtered(&l->collect.tally);
    l->first_loss = b->profile.n_comments;
    losses_comment(b, &l->collect.tally, l->loaded.n_errors);
    profile_builder_finish(b, &l->profile);
}

void pipeline_free(struct pipeline *l)
{
    profile_builder_free(&l->builder);
    profile_free(&l->profile);
    modules_free(&l->modules);
    symbolizer_free(&l->symbolizer);
    collect_free(&l->collect);
    spans_free(&l->spans);
    heap_free(&l->heap);
    blob_store_free(&l->blobs);
}
