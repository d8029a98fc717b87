/* SPDX-License-Identifier: BSD-2-Clause */
/* A session as an archive. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <fxt/writer.h>

#include "base/memory.h"
#include "session.h"

struct archive_call {
    struct fxt_sampler *sampler;
    const struct fxt_sampler_archive *archive;
    fxt_write_fn *write;
    void *context;
    enum fxt_code code;
    struct fxt_sampler_counts counts;
};

/* ---- The recording ----------------------------------------------------------------- */

static const char *method_name(const struct fxt_sampler *s)
{
    return s->method->number == FXT_SAMPLER_SIGNAL ? "signal" : "perf";
}

/* The records, and the zero after the last. What follows may be a hole of a file on a
 * full disk, which cannot even be read. */
static uint64_t readable_size(const struct fxt_sampler_region *region)
{
    uint64_t size = region->used + FXT_WORD_BYTES;

    return size < region->size ? size : region->size;
}

static void add_regions(struct filled_regions *filled)
{
    struct fxt_sampler_region region = {0};

    filled->n = 0;
    for (uint32_t i = 0; session_read_region(i, &region); i++) {
        filled_regions_add(filled, (struct filled_region){
                                       .cpu = region.cpu,
                                       .data = region.data,
                                       .size = readable_size(&region),
                                       .n_reported = region.counts.samples,
                                       .dropped = region.counts.dropped,
                                       .dropped_bytes = region.counts.dropped_bytes,
                                       .lost = region.counts.lost,
                                       .first_drop = region.first_drop,
                                       .last_drop = region.last_drop,
                                   });
        memset(&region, 0, sizeof(region));
    }
}

static void describe_recording(struct recording *r, const struct archive_call *call)
{
    const struct fxt_sampler *s = call->sampler;
    const struct fxt_sampler_archive *archive = call->archive;

    r->recorder = archive->recorder != NULL ? archive->recorder : "libfxtsampler";
    r->command_line = archive->command_line;
    r->method = method_name(s);
    r->start = (struct clock_readings){s->start_monotonic_ns, s->start_wall_ns};
    r->asked_period_ns = s->config.period_ns;
    r->period_cycles = s->period_cycles;
    r->cpu_ns = call->counts.cpu_ns;
    r->n_throttled = call->counts.throttled;
    add_regions(&r->regions);
}

/* ---- Writing ----------------------------------------------------------------------- */

/* The user's function does not allocate from the session's memory. */
struct sink_call {
    const struct archive_call *call;
    const void *data;
    size_t size;
    int result;
};

static void call_sink(void *context)
{
    struct sink_call *sink = context;

    sink->result = sink->call->write(sink->call->context, sink->data, sink->size);
}

static int write_bytes(void *context, const void *data, size_t size)
{
    struct sink_call sink = {context, data, size, 0};

    memory_run_outside(call_sink, &sink);
    return sink.result;
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

static void summarize(struct fxt_sampler_summary *summary, const struct recording *r)
{
    summary->samples = r->n_samples;
    summary->damaged = r->n_damaged;
    summary->period_ns = r->period_ns;
    summary->lacks_files = r->table.files.is_short_of_files;
    summarize_stacks(summary, r);
}

static void write_archive(void *context, struct recording *recording)
{
    struct archive_call *call = context;

    describe_recording(recording, call);
    recording_survey(recording);
    if (call->archive->summary != NULL)
        summarize(call->archive->summary, recording);
    call->code =
        recording_write(recording, !call->archive->no_samples, write_bytes, call);
}

/* ---- The call ---------------------------------------------------------------------- */

static bool is_valid(const struct fxt_sampler_archive *archive)
{
    return archive->size == sizeof(*archive) &&
           (archive->summary == NULL ||
            archive->summary->size == sizeof(*archive->summary));
}

static enum fxt_sampler_code run_call(struct archive_call *call)
{
    struct tracker *tracker = call->sampler->tracker;

    if (call->sampler->is_running)
        return FXT_SAMPLER_E_RUNNING;
    if (tracker == NULL)
        return FXT_SAMPLER_E_ARCHIVE;
    tracker_complete(tracker);
    /* Not in the tracker, whose lock is taken after the method's. */
    session_count(call->sampler, &call->counts);
    if (!tracker_run(tracker, write_archive, call))
        return FXT_SAMPLER_E_RESOURCES;
    if (call->code == FXT_E_SINK)
        return FXT_SAMPLER_E_SINK;
    return call->code == FXT_OK ? FXT_SAMPLER_OK : FXT_SAMPLER_E_RESOURCES;
}

enum fxt_sampler_code fxt_sampler_write(struct fxt_sampler *sampler,
                                        const struct fxt_sampler_archive *archive,
                                        fxt_write_fn *write, void *context)
{
    const struct fxt_sampler_archive defaults = {.size = sizeof(defaults)};
    struct archive_call call = {.sampler = sampler,
                                .archive = archive != NULL ? archive : &defaults,
                                .write = write,
                                .context = context,
                                .code = FXT_OK};

    if (write == NULL || !is_valid(call.archive))
        return FXT_SAMPLER_E_CONFIG;
    if (!session_enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    return session_leave(run_call(&call));
}
