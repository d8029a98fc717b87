/* SPDX-License-Identifier: BSD-2-Clause */
/* See record_run.h. */
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "record_options.h"
#include "record_run.h"
#include "tools/common/report.h"

/* CPU time of so many periods should give some samples. */
enum { ENOUGH_PERIODS = 50 };

void record_note(const struct run *run, const char *message)
{
    if (!run->options->quiet)
        complain(FXTRECORD_PROGRAM, NULL, "%s", message);
}

void record_find_injected(void *context, struct filled_regions *block)
{
    struct run *run = context;

    inject_take(&run->inject, &run->recording, block, run->is_last_take);
}

/* The session has written its regions itself. */
static void remove_other_regions(const struct run *run)
{
    struct region_files files = {.directory = run->options->regions};
    struct fxt_sampler_region region;

    if (files.directory == NULL)
        return;
    for (uint32_t i = 0; fxt_sampler_read(run->sampler, i, &region) == FXT_SAMPLER_OK;
         i++)
        region_files_add(&files, region.cpu);
    region_files_remove_others(&files);
}

void record_end_session(struct run *run)
{
    const struct fxt_sampler_summary *summary = &run->summary;
    struct record_result *result = &run->result;

    run->is_seen = true;
    fxt_sampler_stop(run->sampler);
    fxt_sampler_count(run->sampler, &result->counts);
    remove_other_regions(run);
    if (run->options->last_ns > 0)
        run->is_whole = live_write_last(&run->live, false);
    else
        run->is_whole = live_end(&run->live, result->counts.samples);
    result->period_ns = summary->period_ns;
    result->lacks_files = summary->lacks_files;
    memcpy(result->stacks, summary->stacks, sizeof(result->stacks));
}

static void describe_stacks(struct record_result *result, const struct recording *r)
{
    struct text line = {NULL, 0, 0};

    stack_ends_describe(&line, &r->ends, &r->table);
    text_char(&line, '\0');
    snprintf(result->stacks, sizeof(result->stacks), "%s", line.data);
}

static void take_injected(struct run *run)
{
    const struct recording *r = &run->recording;
    const struct inject *inject = &run->inject;
    struct record_result *result = &run->result;

    result->period_ns = recording_period(r);
    result->lacks_files = r->table.files.is_short_of_files;
    describe_stacks(result, r);
    result->counts.dropped = inject->n_dropped;
    result->counts.lost = inject->n_lost;
    result->counts.throttled = r->n_throttled;
    result->counts.merged = inject->n_merged;
    result->n_unreported = inject->n_unreported;
    result->n_gave_up = inject->n_gave_up;
    result->n_failed = inject->n_failed;
}

/* What cannot be written is counted. */
static void count_rest(struct run *run)
{
    struct filled_regions block = {NULL, 0, 0};

    do {
        filled_regions_clear(&block);
        record_find_injected(run, &block);
    } while (block.n > 0);
}

void record_end_injected(struct run *run)
{
    run->is_last_take = true;
    if (!live_step(&run->live))
        count_rest(run);
    run->is_whole = live_end(&run->live, run->inject.n_samples);
    run->is_seen = run->inject.n_sampled > 0;
    if (!run->is_seen)
        record_note(run, "nothing was sampled: signals cannot sample a command that is "
                         "statically linked, or runs as another user");
    take_injected(run);
}

/* The CPU time of the command, without that for embedding symbols. */
static uint64_t command_ns(const struct run *run)
{
    uint64_t other_ns = run->live.embedding.used_ns;
    struct rusage used;
    uint64_t ns;

    if (getrusage(RUSAGE_CHILDREN, &used) != 0)
        return 0;
    ns = usage_ns(&used);
    return ns > other_ns ? ns - other_ns : 0;
}

/* Of a command that is sampled from inside: the CPU time of its programs that are not.
 * Each loses some while it is loaded. */
static void find_unsampled(struct run *run)
{
    struct record_result *r = &run->result;
    uint64_t sampled_ns =
        r->period_ns * (r->n_samples + r->counts.dropped + r->counts.lost);
    uint64_t used_ns = command_ns(run);

    if (!run->is_injected || !run->command.has_ended || run->options->duration_ns != 0)
        return;
    r->unsampled_ns = used_ns > sampled_ns + sampled_ns / 8 ? used_ns - sampled_ns : 0;
    if (r->unsampled_ns < ENOUGH_PERIODS * run->period_ns)
        r->unsampled_ns = 0;
}

/* A command that used CPU time, but has no samples of that, could not be observed. */
static void report_unseen(const struct run *run)
{
    const uint32_t modes = FXT_SAMPLER_KERNEL_ONLY | FXT_SAMPLER_USER_ONLY;
    const struct record_result *r = &run->result;

    if (r->n_samples + r->counts.dropped + r->counts.lost > 0 ||
        r->n_failed + r->n_gave_up > 0 || (run->options->flags & modes) != 0 ||
        !run->is_seen || !run->command.has_ended)
        return;
    if (!options_sample_clock(run->options)) {
        record_note(run, "no such event happened in a program that could be sampled");
        return;
    }
    if (command_ns(run) / run->period_ns < ENOUGH_PERIODS)
        return;
    record_note(
        run,
        run->is_injected
            ? "nothing was sampled, though CPU time passed: signals cannot sample "
              "programs that are statically linked, or gain privileges"
            : "nothing was sampled, though CPU time passed: by perf events, only root "
              "can sample a program that is unreadable, or runs as another user");
}

void record_report(struct run *run)
{
    struct text files = {NULL, 0, 0};

    run->result.n_samples = run->live.total.n_samples;
    run->result.n_damaged = run->live.total.n_damaged;
    if (run->options->regions != NULL)
        text_str(&files, run->options->regions);
    else
        live_describe(&run->live, &files);
    text_char(&files, '\0');
    run->result.files = files.data;
    find_unsampled(run);
    if (!run->options->quiet)
        status_report(&run->result);
    report_unseen(run);
}

void record_report_traces(const struct run *run)
{
    if (run->traces.n_merged > 0 && !run->options->quiet)
        complain(FXTRECORD_PROGRAM, run->options->output,
                 "has what %zu program%s traced with fxt/trace.h, too",
                 run->traces.n_merged, text_plural(run->traces.n_merged));
}
