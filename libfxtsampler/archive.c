/* SPDX-License-Identifier: BSD-2-Clause */
/* A session as an archive: written at once, or while it runs. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive_blocks.h"

/* ---- The recording ----------------------------------------------------------------- */

static const char *method_name(const struct fxt_sampler *s)
{
    return s->method->number == FXT_SAMPLER_SIGNAL ? "signal" : "perf";
}

/* Whose perf events took the samples. */
static const char *describe_events(const struct fxt_sampler *s,
                                   const struct fxt_sampler_counts *counts)
{
    if (s->method->number == FXT_SAMPLER_SIGNAL)
        return NULL;
    if (counts->by_cpus != 0)
        return counts->begun > 0 ? "threads, then cpus" : "cpus";
    return "threads";
}

/* Of the records that were lost, some are of forks, names and mappings, and of the events
 * of CPUs most are samples of others: no more were the targets' than fit in their time.
 */
static uint64_t count_lost_samples(const struct recording *r,
                                   const struct fxt_sampler_counts *counts)
{
    uint64_t n = counts->samples + counts->dropped;
    uint64_t most = r->asked_period_ns > 0 ? counts->cpu_ns / r->asked_period_ns : 0;
    uint64_t left = most > n ? most - n : 0;

    return counts->lost < left ? counts->lost : left;
}

static void describe_counts(struct recording *r, const struct fxt_sampler_counts *counts)
{
    r->cpu_ns = counts->cpu_ns;
    r->n_of_cpu_ns = counts->samples + counts->dropped + count_lost_samples(r, counts);
    r->n_throttled = counts->throttled;
}

static void describe_sources(struct session_archive *a, struct recording *r)
{
    const struct sources *sources = &a->sampler->sources;

    for (uint32_t i = 0; i < sources->n; i++) {
        bool is_clock = source_is_clock(&sources->all[i]);

        a->sources[i] = (struct sampled_source){
            .name = sources->names[i],
            .unit = is_clock ? "nanoseconds" : "count",
            .period = is_clock ? a->sampler->config.period_ns : sources->count,
        };
    }
    r->sources = a->sources;
    r->n_sources = sources->n;
}

static void begin_stream(void *context, struct recording *r)
{
    struct session_archive *a = context;
    const struct fxt_sampler *s = a->sampler;

    r->recorder = a->recorder != NULL ? a->recorder : "libfxtsampler";
    r->command_line = a->command_line;
    r->method = method_name(s);
    r->start = (struct clock_readings){s->start_monotonic_ns, s->start_wall_ns};
    r->asked_period_ns = s->config.period_ns;
    r->period_cycles = s->period_cycles;
    describe_sources(a, r);
    if (s->kept.keep_ns > 0)
        recording_restart(r);
    a->n_samples_before = r->n_samples;
    a->n_damaged_before = r->n_damaged;
    a->stream = archive_stream_begin(r, !a->no_samples);
}

/* ---- The end ----------------------------------------------------------------------- */

static void describe_source_counts(struct session_archive *a)
{
    struct source_count counts[FXT_SAMPLER_SOURCES_MAX] = {{0, 0, 0}};

    if (a->sampler->sources.n > 0)
        a->sampler->method->take_sources(a->sampler, counts);
    for (uint32_t i = 0; i < a->sampler->sources.n; i++) {
        a->sources[i].counted = counts[i].counted;
        a->sources[i].sampled = counts[i].sampled;
        a->sources[i].lost = counts[i].lost;
    }
}

static void end_stream(void *context, struct recording *r)
{
    struct session_archive *a = context;

    describe_counts(r, &a->counts);
    describe_source_counts(a);
    r->events = describe_events(a->sampler, &a->counts);
    archive_stream_end(a->stream);
}

static void summarize_stacks(struct fxt_sampler_summary *summary,
                             const struct recording *r)
{
    struct text line = {NULL, 0, 0};

    stack_ends_describe(&line, &r->ends, &r->table);
    text_char(&line, '\0');
    snprintf(summary->stacks, sizeof(summary->stacks), "%s", line.data);
    text_free(&line);
}

struct summary_call {
    struct session_archive *archive;
    struct fxt_sampler_summary *summary;
};

static void summarize(void *context, struct recording *r)
{
    const struct summary_call *call = context;
    const struct session_archive *a = call->archive;
    struct fxt_sampler_summary *summary = call->summary;

    summary->samples = a->no_samples ? r->n_samples - a->n_samples_before
                                     : archive_stream_samples(a->stream);
    summary->damaged = r->n_damaged - a->n_damaged_before;
    summary->period_ns = recording_period(r);
    summary->lacks_files = r->table.files.is_short_of_files;
    summarize_stacks(summary, r);
}

static void free_stream(void *context, struct recording *r)
{
    struct session_archive *a = context;

    (void)r;
    a->good = archive_stream_code(a->stream) == FXT_OK;
    archive_stream_free(a->stream);
    filled_regions_free(&a->block);
}

static void free_archive(struct session_archive *a)
{
    free(a->recorder);
    free(a->command_line);
    free(a);
}

/* Ends it, even after a failure if `always`; frees it in any case. */
static enum fxt_sampler_code end_archive(struct session_archive *a,
                                         struct fxt_sampler_summary *summary,
                                         enum fxt_sampler_code code, bool always)
{
    struct tracker *tracker = a->sampler->tracker;
    struct summary_call call = {a, summary};

    session_count(a->sampler, &a->counts);
    if ((always || code == FXT_SAMPLER_OK) && tracker_run(tracker, end_stream, a) &&
        !archive_stream_write(a->stream, a->write, a->context) && code == FXT_SAMPLER_OK)
        code = FXT_SAMPLER_E_SINK;
    if (summary != NULL)
        tracker_run(tracker, summarize, &call);
    if (!tracker_run(tracker, free_stream, a) || !a->good)
        code = code == FXT_SAMPLER_OK ? FXT_SAMPLER_E_RESOURCES : code;
    free_archive(a);
    return code;
}

/* ---- Beginning --------------------------------------------------------------------- */

static const struct fxt_sampler_archive defaults = {.size = sizeof(defaults)};

static bool is_valid(const struct fxt_sampler_archive *archive)
{
    return archive->size == sizeof(*archive) &&
           (archive->summary == NULL ||
            archive->summary->size == sizeof(*archive->summary));
}

static bool copy_string(char **to, const char *from)
{
    *to = from != NULL ? strdup(from) : NULL;
    return from == NULL || *to != NULL;
}

static enum fxt_sampler_code begin_archive(struct fxt_sampler *sampler,
                                           const struct fxt_sampler_archive *archive,
                                           fxt_write_fn *write, void *context,
                                           struct session_archive **to)
{
    struct session_archive *a = calloc(1, sizeof(*a));

    *to = NULL;
    if (a == NULL)
        return FXT_SAMPLER_E_RESOURCES;
    a->sampler = sampler;
    a->write = write;
    a->context = context;
    a->no_samples = archive->no_samples;
    if (!copy_string(&a->recorder, archive->recorder) ||
        !copy_string(&a->command_line, archive->command_line) ||
        !tracker_run(sampler->tracker, begin_stream, a)) {
        free_archive(a);
        return FXT_SAMPLER_E_RESOURCES;
    }
    *to = a;
    return FXT_SAMPLER_OK;
}

typedef enum fxt_sampler_code write_fn(struct fxt_sampler *sampler,
                                       const struct fxt_sampler_archive *archive,
                                       fxt_write_fn *write, void *context);

/* Enters the session, if what the caller gave is usable, and has it written. */
static enum fxt_sampler_code enter_to(write_fn *run, struct fxt_sampler *sampler,
                                      const struct fxt_sampler_archive *archive,
                                      fxt_write_fn *write, void *context)
{
    if (archive == NULL)
        archive = &defaults;
    if (write == NULL || !is_valid(archive))
        return FXT_SAMPLER_E_CONFIG;
    if (!session_enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    return session_leave(run(sampler, archive, write, context));
}

/* ---- While it runs ----------------------------------------------------------------- */

/* The caller has entered the session. */
static enum fxt_sampler_code open_archive(struct fxt_sampler *sampler,
                                          const struct fxt_sampler_archive *archive,
                                          fxt_write_fn *write, void *context)
{
    enum fxt_sampler_code code;

    if (sampler->tracker == NULL)
        return FXT_SAMPLER_E_ARCHIVE;
    if (sampler->archive != NULL)
        return FXT_SAMPLER_E_OPEN;
    session_note_start(sampler);
    code = begin_archive(sampler, archive, write, context, &sampler->archive);
    return code == FXT_SAMPLER_OK ? archive_write_stream(sampler->archive) : code;
}

enum fxt_sampler_code fxt_sampler_open_archive(struct fxt_sampler *sampler,
                                               const struct fxt_sampler_archive *archive,
                                               fxt_write_fn *write, void *context)
{
    return enter_to(open_archive, sampler, archive, write, context);
}

static void forget_others(void *context, struct recording *r)
{
    (void)context;
    recording_forget(r, 0);
}

enum fxt_sampler_code fxt_sampler_append(struct fxt_sampler *sampler)
{
    enum fxt_sampler_code code;

    if (!session_enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    if (sampler->archive == NULL)
        return session_leave(FXT_SAMPLER_E_OPEN);
    session_track_self(sampler);
    code = archive_append(sampler->archive);
    if (sampler->kept.keep_ns == 0)
        tracker_run(sampler->tracker, forget_others, NULL);
    return session_leave(code);
}

/* The next archive is to know what this one's threads are doing. */
static void pass_threads(struct fxt_sampler *sampler)
{
    struct session_archive *a = sampler->archive;

    if (!sampler->is_running || a->no_samples || sampler->kept.keep_ns > 0 ||
        sampler->method->end_archive == NULL || !sampler->method->end_archive(sampler))
        return;
    archive_append(a);
    sampler->method->begin_archive(sampler);
}

enum fxt_sampler_code fxt_sampler_close_archive(struct fxt_sampler *sampler,
                                                struct fxt_sampler_summary *summary)
{
    enum fxt_sampler_code code;

    if (summary != NULL && summary->size != sizeof(*summary))
        return FXT_SAMPLER_E_CONFIG;
    if (!session_enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    if (sampler->archive == NULL)
        return session_leave(FXT_SAMPLER_E_OPEN);
    pass_threads(sampler);
    if (!sampler->is_running)
        tracker_complete(sampler->tracker);
    code = end_archive(sampler->archive, summary,
                       sampler->archive->has_failed ? FXT_SAMPLER_E_SINK : FXT_SAMPLER_OK,
                       true);
    sampler->archive = NULL;
    return session_leave(code);
}

void session_drop_archive(struct fxt_sampler *sampler)
{
    if (sampler->archive != NULL)
        free_archive(sampler->archive);
    sampler->archive = NULL;
}

/* ---- At once ----------------------------------------------------------------------- */

static void restart(void *context, struct recording *r)
{
    (void)context;
    recording_restart(r);
}

/* For an archive that is open as well: it does not have what the other one has. */
static void start_over(void *context, struct recording *r)
{
    (void)context;
    recording_start_archive(r);
}

/* The caller has entered the session. */
static enum fxt_sampler_code write_all(struct fxt_sampler *sampler,
                                       const struct fxt_sampler_archive *archive,
                                       fxt_write_fn *write, void *context)
{
    struct session_archive *a;
    enum fxt_sampler_code code;

    if (sampler->is_running)
        return FXT_SAMPLER_E_RUNNING;
    if (sampler->tracker == NULL)
        return FXT_SAMPLER_E_ARCHIVE;
    tracker_complete(sampler->tracker);
    if (!tracker_run(sampler->tracker, restart, NULL))
        return FXT_SAMPLER_E_RESOURCES;
    code = begin_archive(sampler, archive, write, context, &a);
    if (code != FXT_SAMPLER_OK)
        return code;
    code = archive_append_all(a);
    code = end_archive(a, archive->summary, code, false);
    tracker_run(sampler->tracker, start_over, NULL);
    return code;
}

enum fxt_sampler_code fxt_sampler_write(struct fxt_sampler *sampler,
                                        const struct fxt_sampler_archive *archive,
                                        fxt_write_fn *write, void *context)
{
    return enter_to(write_all, sampler, archive, write, context);
}

/* ---- Labels ------------------------------------------------------------------------ */

enum fxt_sampler_code fxt_sampler_label(struct fxt_sampler *sampler, pid_t thread,
                                        const char *label)
{
    enum fxt_sampler_code code = FXT_SAMPLER_OK;

    if (!session_enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    if (sampler->tracker == NULL)
        code = FXT_SAMPLER_E_ARCHIVE;
    else if (!tracker_label(sampler->tracker, thread, label))
        code = FXT_SAMPLER_E_NO_TARGET;
    return session_leave(code);
}
