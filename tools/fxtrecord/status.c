/* SPDX-License-Identifier: BSD-2-Clause */
/* See status.h. */
#include "status.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/common/report.h"

void status_show_counts(const struct fxt_sampler_counts *counts)
{
    fprintf(stderr,
            "\r\033[K" FXTRECORD_PROGRAM ": %" PRIu64 " sample%s, %" PRIu64
            " dropped, %" PRIu64 " lost",
            counts->samples, text_plural(counts->samples), counts->dropped, counts->lost);
    fflush(stderr);
}

void status_show_programs(size_t n_programs)
{
    fprintf(stderr, "\r\033[K" FXTRECORD_PROGRAM ": %zu program%s sampled", n_programs,
            text_plural(n_programs));
    fflush(stderr);
}

void status_hide_progress(void)
{
    fputs("\r\033[K", stderr);
}

static void print_line(const char *message)
{
    complain(FXTRECORD_PROGRAM, NULL, "%s", message);
}

/* Threads and processes that begin while they are sampled by events of their own have
 * their first sample late: what is missing is more than a per cent or two. */
static bool is_biased(const struct record_result *r)
{
    enum { FORKS_MIN = 16, SAMPLES_PER_FORK = 32 };

    return r->counts.by_cpus == 0 && r->counts.begun >= FORKS_MIN &&
           r->counts.begun * SAMPLES_PER_FORK > r->n_samples;
}

static const char *describe_remedy(const struct record_result *r)
{
    if (r->period_cycles > 0)
        return "";
    if (r->traces_scheduling)
        return ": all of them are sampled with -a, or without --trace and --off-cpu";
    return ": root, or anyone where kernel.perf_event_paranoid is 0 or less, can sample "
           "all of them";
}

static void report_events(const struct record_result *r)
{
    uint64_t sampled_ns = r->n_samples * r->asked_period_ns;

    if (r->counts.by_cpus != 0 && r->counts.begun > 0)
        print_line("many threads or processes began: they were sampled by the events of "
                   "CPUs, which miss none");
    if (!is_biased(r))
        return;
    complain(FXTRECORD_PROGRAM, NULL,
             "%" PRIu64 " threads and processes began, and each was sampled only after "
             "its first %.3f ms, so that the shares of short ones are too small%s",
             r->counts.begun, (double)r->asked_period_ns / 1e6, describe_remedy(r));
    if (r->counts.cpu_ns > sampled_ns)
        complain(FXTRECORD_PROGRAM, NULL, "%.3f s of %.3f s of CPU time made no samples",
                 (double)(r->counts.cpu_ns - sampled_ns) / 1e9,
                 (double)r->counts.cpu_ns / 1e9);
}

/* Reports a rate below nine tenths of the requested one, if there are enough samples to
 * tell: timers have some jitter. */
static void report_rate(const struct record_result *r)
{
    if (is_biased(r) || r->n_samples < 50 || r->asked_period_ns > r->period_ns / 10 * 9)
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

static void report_uncounted(const struct record_result *r)
{
    if (r->counts.uncounted_ns > 0)
        complain(FXTRECORD_PROGRAM, NULL,
                 "for %.3f s the cycle counters were in use by others: there are no "
                 "samples of that time",
                 (double)r->counts.uncounted_ns / 1e9);
}

/* The kernel pauses perf events; for signals the sampler stretches periods. */
static void report_throttled(const struct record_result *r)
{
    uint64_t n = r->n_samples + r->counts.dropped + r->counts.lost;

    if (r->counts.throttled == 0)
        return;
    if (strcmp(r->method, "signal") != 0)
        complain(FXTRECORD_PROGRAM, NULL,
                 "the kernel throttled sampling %" PRIu64 " time%s, as it took too much "
                 "time: there are fewer samples than there should be",
                 r->counts.throttled, text_plural(r->counts.throttled));
    else
        complain(FXTRECORD_PROGRAM, NULL,
                 "sampling was throttled %" PRIu64 " time%s, to leave threads three "
                 "quarters of their time: each stack counts as %.1f samples on average",
                 r->counts.throttled, text_plural(r->counts.throttled),
                 n > r->counts.merged ? (double)n / (double)(n - r->counts.merged) : 1);
}

static void report_cpus(const struct record_result *r)
{
    if (r->counts.cpus_came + r->counts.cpus_went > 0)
        complain(FXTRECORD_PROGRAM, NULL,
                 "CPUs hot-added while recording: %" PRIu64 ", hot-removed: %" PRIu64,
                 r->counts.cpus_came, r->counts.cpus_went);
}

/* Processes that sample themselves. */
static void report_programs(const struct record_result *r)
{
    if (r->n_unreported > 0)
        complain(FXTRECORD_PROGRAM, NULL,
                 "%" PRIu64
                 " full region%s of processes that were killed or called exec: how "
                 "much was dropped there is not known",
                 r->n_unreported, text_plural(r->n_unreported));
    if (r->n_gave_up > 0)
        complain(FXTRECORD_PROGRAM, NULL,
                 "programs that use SIGPROF themselves, and were sampled until then: %u",
                 r->n_gave_up);
    if (r->n_failed > 0)
        complain(FXTRECORD_PROGRAM, NULL,
                 "programs that could not be sampled, or not to their end: %u",
                 r->n_failed);
    if (r->unsampled_ns > 0)
        complain(FXTRECORD_PROGRAM, NULL,
                 "%.3f s of CPU time are of programs or threads that were not sampled, "
                 "and are in no sample",
                 (double)r->unsampled_ns / 1e9);
}

static void report_others(const struct record_result *r)
{
    if (r->counts.others + r->counts.others_dropped > 0)
        complain(FXTRECORD_PROGRAM, NULL,
                 "%" PRIu64 " scheduling record%s, %" PRIu64 " dropped", r->counts.others,
                 text_plural(r->counts.others), r->counts.others_dropped);
}

static const char *describe_fewer(const struct record_result *r)
{
    if (r->source_count == 0)
        return "fewer samples a second (-F)";
    return r->has_clock ? "a larger -c, fewer samples a second (-F)" : "a larger -c";
}

void status_report(const struct record_result *r)
{
    complain(FXTRECORD_PROGRAM, NULL,
             "%" PRIu64 " sample%s in %s; %" PRIu64 " dropped, %" PRIu64 " lost",
             r->n_samples, text_plural(r->n_samples), r->files, r->counts.dropped,
             r->counts.lost);
    if (r->stacks[0] != '\0')
        print_line(r->stacks);
    report_events(r);
    report_rate(r);
    report_uncounted(r);
    report_throttled(r);
    report_cpus(r);
    report_programs(r);
    if (r->counts.lost > 0 && strcmp(r->method, "signal") != 0)
        complain(FXTRECORD_PROGRAM, NULL,
                 "samples were lost before fxtrecord read them: %s or a smaller "
                 "--stack-size need less time",
                 describe_fewer(r));
    report_others(r);
    if (r->counts.dropped + r->counts.others_dropped > 0)
        print_line("a region was full: --buffer-size makes them larger");
    if (r->lacks_files)
        print_line("too few files may be open (ulimit -n): some modules lack build ids");
    if (r->n_damaged > 0)
        print_line("a region is damaged: fxtdump says where");
}
