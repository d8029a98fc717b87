/* SPDX-License-Identifier: BSD-2-Clause */
/* See pipeline.h. */
#include "pipeline.h"

#include "libfxtprofile/import/import.h"
#include "libfxtprofile/import/sampler_pcs.h"
#include "libfxtprofile/profile/locate.h"
#include "libfxtprofile/profile/stack_ends.h"
#include "libfxtprofile/profile/values/event_values.h"

/* ---- What is counted --------------------------------------------------------------- */

/* Samples are only counted at first: their period may be known only after them. Spans
 * and waits have times. */
static void choose_types(struct pipeline *l, enum fxt_profile_source source)
{
    struct profile_builder *b = &l->builder;
    bool is_wall_clock = source == FXT_PROFILE_WALL_CLOCK;

    if (source == FXT_PROFILE_SPANS || pipeline_is_of_waits(source)) {
        const char *waits = is_wall_clock ? "intervals" : "waits";

        profile_builder_add_type(b, source == FXT_PROFILE_SPANS ? "spans" : waits,
                                 "count");
        profile_builder_add_type(b, "time", "nanoseconds");
        b->profile.default_type = 1;
        /* Of samples, until their period is known. */
        l->collect.values[0] = is_wall_clock;
        l->collect.values[1] = is_wall_clock;
        return;
    }
    profile_builder_add_type(b, "samples", "count");
    l->collect.values[0] = 1;
    b->profile.is_of_sums = source == FXT_PROFILE_SUMS;
    if (b->profile.is_of_sums)
        profile_builder_add_type(b, "cpu", "nanoseconds");
}

/* Samples that were added up have both values, but their time may not be known. */
static void choose_sums(struct profile *p)
{
    for (size_t i = 0; i < p->n_samples; i++) {
        if (p->values[2 * i + 1] != 0) {
            p->default_type = 1;
            return;
        }
    }
    for (size_t i = 0; i < p->n_samples; i++)
        p->values[i] = p->values[2 * i];
    p->n_types = 1;
}

/* The samples of recordings of several events; and those beside waits. */
static void set_events(struct pipeline *l, uint64_t period_ns)
{
    const struct sampled_events *sampled = &l->collect.sampled;
    struct event_value events[PROFILE_EVENTS_MAX];
    struct event_values values = {events, sampled->n, period_ns};
    uint64_t n;

    for (uint32_t i = 0; i < sampled->n; i++) {
        struct sampled_count count = sampled_events_count(&sampled->all[i]);

        events[i].type =
            (struct profile_type){sampled->all[i].name, sampled->all[i].unit};
        events[i].counted = count.counted;
        events[i].sampled = count.sampled;
    }
    if (l->collect.with_samples) {
        n = event_values_set_times(&l->builder, &values);
        l->collect.tally.n_no_time = n;
        l->collect.tally.n_samples -= n;
        return;
    }
    n = event_values_set(&l->builder, &values);
    l->collect.tally.n_no_event = n - l->collect.tally.n_undeclared;
}

static void comment_lost(struct pipeline *l)
{
    const struct sampled_events *sampled = &l->collect.sampled;
    struct text sentence = {NULL, 0, 0};

    for (uint32_t i = 0; i < sampled->n; i++) {
        uint64_t n = sampled_events_count(&sampled->all[i]).lost;

        sentence.size = 0;
        text_count(&sentence, n, "sample");
        text_printf(&sentence, " of %s lost by the kernel for lack of room",
                    sampled->all[i].name);
        text_char(&sentence, '\0');
        if (n > 0)
            profile_builder_add_loss(&l->builder, PROFILE_LOSS_KERNEL, sentence.data);
    }
    text_free(&sentence);
}

static void comment_times(struct pipeline *l)
{
    const struct profile_events *events = &l->builder.profile.events;
    const struct sample_times *times = &l->collect.times;
    uint64_t last = times->last_ns;

    if (times->last_ns - times->first_ns > INT64_MAX)
        profile_builder_add_comment(
            &l->builder, "the duration is cut off: it is more than 2^63 - 1 ns");
    for (size_t i = 0; i < events->n && l->has_signed_times; i++)
        last = events->events[i].end_ns > last ? events->events[i].end_ns : last;
    if (l->has_signed_times && last > INT64_MAX)
        profile_builder_add_comment(
            &l->builder,
            "times of 2^63 ns or more are cut off: the format has none above 2^63 - 1");
}

/* With a known period, the number of samples is also time. */
static void set_period(struct pipeline *l, uint64_t period_ns)
{
    const struct recording *recording = &l->collect.recording;

    if (l->builder.profile.is_of_sums) {
        choose_sums(&l->builder.profile);
        return;
    }
    if (period_ns == 0)
        period_ns = recording->period_ns;
    if (l->collect.spans != NULL || l->builder.profile.is_of_heap ||
        (l->collect.waits != NULL && !l->collect.with_samples))
        return;
    l->collect.tally.n_refused_events = l->collect.sampled.n_refused;
    if (l->collect.sampled.n > 0 || l->collect.with_samples)
        set_events(l, period_ns);
    else if (period_ns > 0)
        profile_builder_set_period(&l->builder, period_ns);
    else
        l->lacks_period = recording->periods_differ;
}

/* What lasts may begin before the times that are wanted, and end after them. */
static void cut_times(const struct time_window *window, struct sample_times *times)
{
    uint64_t first_ns = times->first_ns;

    if (window == NULL)
        return;
    if (times->last_ns < window->first_ns || times->first_ns > window->last_ns) {
        *times = (struct sample_times){.clock = NULL};
        return;
    }
    if (times->first_ns < window->first_ns)
        times->first_ns = window->first_ns;
    if (times->last_ns > window->last_ns)
        times->last_ns = window->last_ns;
    if (times->has_start &&
        __builtin_add_overflow(times->start_ns, times->first_ns - first_ns,
                               &times->start_ns))
        times->has_start = false;
}

/* Of samples, their first one; without samples, what a provider states of its clock. */
static void set_wall_clock(struct profile *p, const struct sample_times *times)
{
    bool has_start = times->has_time && p->start_ns != 0;

    p->has_wall_clock = has_start || times->has_wall_clock;
    p->clock_ns = has_start ? p->first_ns : times->clock_ns;
    p->wall_ns = has_start ? p->start_ns : times->wall_ns;
}

static void set_times(struct pipeline *l, uint64_t start_ns)
{
    struct collect *from = &l->collect;
    struct profile *p = &l->builder.profile;
    uint64_t duration_ns;

    cut_times(from->window, &from->times);
    duration_ns = from->times.last_ns - from->times.first_ns;
    if (start_ns == 0 && from->times.has_start)
        start_ns = from->times.start_ns;
    /* Readers of the profile have signed numbers for both. */
    p->start_ns = start_ns <= INT64_MAX ? start_ns : 0;
    p->first_ns = from->times.first_ns;
    p->duration_ns = duration_ns <= INT64_MAX ? duration_ns : INT64_MAX;
    set_wall_clock(p, &from->times);
}

/* Unless the profile has them one by one, what is missing of the events is what it is
 * here. */
static void finish_summary(struct pipeline *l, const struct filter *filter)
{
    struct summary_wishes wishes = {filter, l->collect.window,
                                    &l->builder.profile.koid_names};
    struct tally *t = &l->collect.tally;
    uint64_t n_left_out;

    if (l->collect.summary == NULL)
        return;
    n_left_out = summary_finish(&l->summary, &wishes, &l->builder.profile.summary);
    t->n_unopened_async = l->summary.n_unopened_async;
    t->n_unopened_flows = l->summary.n_unopened_flows;
    if (l->collect.events == NULL && l->collect.spans == NULL) {
        t->spans = l->summary.tally;
        t->filtered.n_events += n_left_out;
    }
    t->spans.n_async = 0;
    t->spans.n_flow = 0;
}

/* ---- The profile ------------------------------------------------------------------- */

void pipeline_init(struct pipeline *l)
{
    profile_builder_init(&l->builder);
}

static void start_summary(struct pipeline *l, const struct pipeline_settings *settings)
{
    struct sched_times *scheduling = &l->summary.scheduling;

    l->collect.summary = settings->options->summarize_events ? &l->summary : NULL;
    scheduling->has_window = settings->window != NULL;
    if (settings->window == NULL)
        return;
    scheduling->first_ns = settings->window->first_ns;
    scheduling->last_ns = settings->window->last_ns;
}

void pipeline_start(struct pipeline *l, const struct pipeline_settings *settings)
{
    const struct fxt_profile_options *o = settings->options;

    l->options = o;
    l->collect.builder = &l->builder;
    l->collect.modules = &l->modules;
    l->modules.boots = &l->builder.profile.koid_names.boots;
    l->collect.cpus = settings->cpus;
    l->collect.window = settings->window;
    l->collect.merges_cpus = o->ignore_cpus;
    l->collect.is_zircon_arm64 = o->is_zircon_arm64;
    l->collect.spans = o->source == FXT_PROFILE_SPANS ? &l->spans : NULL;
    l->collect.waits = pipeline_is_of_waits(o->source) ? &l->waits : NULL;
    l->waits.of_wakeups = o->source == FXT_PROFILE_WAKEUPS;
    l->collect.with_samples = o->source == FXT_PROFILE_WALL_CLOCK;
    l->builder.profile.is_of_wall_clock = o->source == FXT_PROFILE_WALL_CLOCK;
    l->waits.min_ns = o->min_wait_ns;
    l->collect.events = settings->is_timeline ? &l->events : NULL;
    l->collect.nests_events = o->keep_events;
    l->events.keeps_scheduling = settings->keeps_scheduling;
    start_summary(l, settings);
    l->collect.heap = &l->heap;
    l->collect.blobs = &l->blobs;
    l->collect.only_heap = o->only_heaps;
    l->collect.only_heap_counters = settings->only_heap_counters;
    l->heap.with_tags = o->keep_blocks;
    l->heap.all_stacks = o->all_heap_stacks;
    l->heap.window = settings->window;
    choose_types(l, o->source);
    l->builder.profile.n_threads = o->n_threads;
    l->builder.profile.has_times = settings->has_times;
    l->builder.keeps_pcs = settings->keeps_pcs;
    l->builder.merges_mappings = settings->merges_mappings;
    l->builder.shows_ends = o->show_cuts;
    l->builder.moments.is_kept = settings->is_timeline;
    l->has_signed_times = settings->has_signed_times;
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

void pipeline_finish(struct pipeline *l, const struct filter *filter)
{
    struct profile_builder *b = &l->builder;
    struct filter_tally *filtered = &l->collect.tally.filtered;

    modules_finish(&l->modules);
    collect_finish(&l->collect, &l->symbolizer);
    import_finish(b);
    set_times(l, l->options->start_ns);
    l->looks_restorable = !l->collect.is_zircon_arm64 && sampler_pcs_look_restorable(b);
    b->is_any_order_of_labels = !modules_have_processes(&l->modules);
    profile_builder_sort(b);
    set_period(l, l->options->period_ns);
    filter_samples(filter, b, filtered);
    filter_events(filter, l->collect.window, b, filtered);
    finish_summary(l, filter);
    if (l->options->ignore_renames)
        profile_builder_forget_names(b);
    if (l->options->use_running_kernel)
        running_kernel_add(&l->symbolizer, &l->modules, b);
    profile_locate(b, &l->modules, &l->symbolizer);
    filter_stacks(filter, b, filtered);
    if (!l->options->plain_names)
        profile_tell_apart(&b->profile);
    stack_ends_count(b);
    tally_subtract_filtered(&l->collect.tally);
    l->first_loss = b->profile.n_comments;
    for (uint32_t i = 0; i < l->losses.n; i++)
        profile_builder_add_comment(b, string_table_get(&l->losses, i).data);
    losses_comment(b, &l->collect.tally, l->loaded.n_errors);
    comment_lost(l);
    if (l->lacks_period)
        profile_builder_add_comment(
            b, "no CPU time: the recordings have different periods (--period)");
    comment_times(l);
    profile_builder_finish(b, &l->profile);
}

void pipeline_forget_inputs(struct pipeline *l)
{
    modules_free(&l->modules);
    symbolizer_free(&l->symbolizer);
    spans_free(&l->spans);
    waits_free(&l->waits);
    events_free(&l->events);
    summary_free(&l->summary);
    heap_free(&l->heap);
    blob_store_free(&l->blobs);
    l->modules = (struct modules){.n_modules = 0};
    l->symbolizer = (struct symbolizer){.n = 0};
    l->spans = (struct spans){.n_events = 0};
    l->waits = (struct waits){.min_ns = 0};
    l->events = (struct events){.capacity = 0};
    l->summary = (struct summary){.n_logs = 0};
    l->heap = (struct heap){.n_stacks = 0};
    l->blobs = (struct blob_store){.n = 0};
}
