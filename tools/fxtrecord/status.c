/* SPDX-License-Identifier: BSD-2-Clause */
/* See status.h. */
#include "status.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "files.h"
#include "tools/common/report.h"

void tell_progress(const struct fxt_sampler_counts *counts)
{
    fprintf(stderr,
            "\r\033[K" FXTRECORD_PROGRAM ": %" PRIu64 " samples, %" PRIu64
            " dropped, %" PRIu64 " lost",
            counts->samples, counts->dropped, counts->lost);
    fflush(stderr);
}

void tell_progress_inside(size_t n_programs)
{
    fprintf(stderr, "\r\033[K" FXTRECORD_PROGRAM ": %zu programs sampled", n_programs);
    fflush(stderr);
}

void tell_no_progress(void)
{
    fputs("\r\033[K", stderr);
}

static void tell(const char *message)
{
    complain(FXTRECORD_PROGRAM, NULL, "%s", message);
}

/* Fewer samples than nine in ten of what there should be are worth a word: timers have
 * some jitter, and few samples say little. */
static void tell_rate(const struct recording *r)
{
    if (r->n_samples < 50 || r->asked_period_ns > r->period_ns / 10 * 9)
        return;
    complain(FXTRECORD_PROGRAM, NULL,
             "%.0f samples a second of CPU time, instead of %.0f: %s. Each stands for "
             "%.3f ms, as the archive says",
             1e9 / (double)r->period_ns, 1e9 / (double)r->asked_period_ns,
             r->period_cycles > 0
                 ? "threads were short-lived, or CPUs became slower, or were not counted"
                 : "threads were short-lived, or timers were late or coalesced",
             (double)r->period_ns / 1e6);
}

static void tell_uncounted(const struct recording *r)
{
    if (r->counts.uncounted_ns > 0)
        complain(FXTRECORD_PROGRAM, NULL,
                 "for %.3f s the cycle counters were in use by others: there are no "
                 "samples of that time",
                 (double)r->counts.uncounted_ns / 1e9);
}

/* The kernel makes perf events pause; for signals the sampler makes periods longer. */
static void tell_throttled(const struct recording *r)
{
    uint64_t n = r->n_samples + r->counts.dropped + r->counts.lost;

    if (r->counts.throttled == 0)
        return;
    if (strcmp(r->method, "signal") != 0)
        complain(FXTRECORD_PROGRAM, NULL,
                 "the kernel throttled sampling %" PRIu64 " times, as it took too much "
                 "time: there are fewer samples than there should be",
                 r->counts.throttled);
    else
        complain(FXTRECORD_PROGRAM, NULL,
                 "sampling was throttled %" PRIu64 " times, to leave threads three "
                 "quarters of their time: each stack counts as %.1f samples on average",
                 r->counts.throttled,
                 n > r->counts.merged ? (double)n / (double)(n - r->counts.merged) : 1);
}

static void tell_cpus(const struct recording *r)
{
    if (r->counts.cpus_came + r->counts.cpus_went > 0)
        complain(FXTRECORD_PROGRAM, NULL,
                 "CPUs hot-added while recording: %" PRIu64 ", hot-removed: %" PRIu64,
                 r->counts.cpus_came, r->counts.cpus_went);
}

/* What is sampled from inside. */
static void tell_programs(const struct recording *r)
{
    if (r->n_untold > 0)
        complain(FXTRECORD_PROGRAM, NULL,
                 "%u regions are full, in processes that were killed or called exec: how "
                 "much they dropped is not known",
                 r->n_untold);
    if (r->n_gave_up > 0)
        complain(FXTRECORD_PROGRAM, NULL,
                 "programs that use SIGPROF themselves, and were sampled until then: %u",
                 r->n_gave_up);
    if (r->n_failed > 0)
        complain(FXTRECORD_PROGRAM, NULL,
                 "programs that could not be sampled, or not to their end: %u",
                 r->n_failed);
}

static void tell_stacks(const struct recording *r)
{
    struct text line = {NULL, 0, 0};

    stack_ends_describe(&line, &r->ends, &r->table);
    text_char(&line, '\0');
    if (line.size > 1)
        tell(line.data);
    text_free(&line);
}

void tell_result(const struct recording *r, const struct record_options *o)
{
    if (o->quiet)
        return;
    complain(FXTRECORD_PROGRAM, NULL,
             "%" PRIu64 " samples in %s; %" PRIu64 " dropped, %" PRIu64 " lost",
             r->n_samples, files_name(o), r->counts.dropped, r->counts.lost);
    tell_stacks(r);
    tell_rate(r);
    tell_uncounted(r);
    tell_throttled(r);
    tell_cpus(r);
    tell_programs(r);
    if (r->counts.dropped > 0)
        tell("a region was full: --buffer-size makes them larger");
    if (r->table.files.is_short_of_files)
        tell("too few files may be open (ulimit -n): some modules lack build ids");
    if (r->n_damaged > 0)
        tell("a region is damaged: fxtdump says where");
}
