/* SPDX-License-Identifier: BSD-2-Clause */
/* See recording.h: what an archive says of its recording, as events of category
 * fxtrecord. */
#include "recording.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <fxt/fxt.h>

enum { COMMAND_LINE_MAX = 16000 };

static struct fxt_arg make_string(const char *name, const char *value)
{
    struct fxt_arg arg = {.name = fxt_string_from(name), .type = FXT_ARG_STRING};

    arg.value.string = fxt_string_from(value);
    if (arg.value.string.size > COMMAND_LINE_MAX)
        arg.value.string.size = COMMAND_LINE_MAX;
    return arg;
}

static struct fxt_arg make_number(const char *name, uint64_t value)
{
    struct fxt_arg arg = {.name = fxt_string_from(name), .type = FXT_ARG_UINT64};

    arg.value.uint64 = value;
    return arg;
}

/* Identifies this boot of this machine; empty if it is not known. */
static void read_boot_id(char *id, size_t size)
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

    id[0] = '\0';
    if (file == NULL)
        return;
    if (fgets(id, (int)size, file) == NULL)
        id[0] = '\0';
    id[strcspn(id, "\n")] = '\0';
    fclose(file);
}

/* An event of this process, at a time of the recording. */
static struct fxt_record make_event(const struct recording *r, const char *name)
{
    struct fxt_record record = {.type = FXT_RECORD_EVENT, .kind = FXT_EVENT_INSTANT};

    record.event.timestamp = r->start.monotonic_ns;
    record.event.thread = fxt_thread_from((uint64_t)getpid(), (uint64_t)getpid());
    record.event.category = fxt_string_from("fxtrecord");
    record.event.name = fxt_string_from(name);
    return record;
}

/* docs/sampled-events.md */
static void write_sources(struct fxt_writer *writer, const struct recording *r)
{
    struct fxt_record record = make_event(r, "sampled_event");

    for (uint32_t i = 0; i < r->n_sources; i++) {
        struct fxt_arg args[4];

        record.args = args;
        record.n_args = 0;
        args[record.n_args++] = make_number("number", i);
        args[record.n_args++] = make_string("name", r->sources[i].name);
        args[record.n_args++] = make_string("unit", r->sources[i].unit);
        if (r->sources[i].period > 0)
            args[record.n_args++] = make_number("period", r->sources[i].period);
        fxt_writer_write(writer, &record);
    }
}

/* The name of this machine; empty if it is not known. */
static void read_host(char *name, size_t size)
{
    if (gethostname(name, size) != 0)
        name[0] = '\0';
    name[size - 1] = '\0';
}

void recording_write_start(struct fxt_writer *writer, const struct recording *r)
{
    struct fxt_record record = make_event(r, "recording");
    char boot_id[64] = "";
    char host[HOST_NAME_MAX + 1] = "";
    struct fxt_arg args[8];

    record.args = args;
    if (r->command_line != NULL)
        args[record.n_args++] = make_string("command_line", r->command_line);
    args[record.n_args++] = make_number("start_unix_ns", r->start.wall_ns);
    if (r->n_sources == 0)
        args[record.n_args++] = make_number("asked_period_ns", r->asked_period_ns);
    args[record.n_args++] = make_string("method", r->method);
    args[record.n_args++] = make_string("fxtrecord", fxt_version());
    if (!r->is_remote) {
        read_boot_id(boot_id, sizeof(boot_id));
        read_host(host, sizeof(host));
    }
    if (boot_id[0] != '\0')
        args[record.n_args++] = make_string("boot_id", boot_id);
    if (host[0] != '\0')
        args[record.n_args++] = make_string("host", host);
    if (r->period_cycles > 0)
        args[record.n_args++] = make_number("period_cycles", r->period_cycles);
    fxt_writer_write(writer, &record);
    write_sources(writer, r);
}

/* How the stacks ended, by reason: nothing where no sampler reports it. */
static void write_stack_ends(struct fxt_writer *writer, const struct recording *r,
                             const uint64_t *counts)
{
    struct fxt_record record = make_event(r, "stack_ends");
    struct fxt_arg args[STACK_ENDS];

    record.args = args;
    record.n_args = (uint32_t)stack_ends_args(counts, args);
    if (record.n_args > 1 || (record.n_args == 1 && counts[FXT_STACK_END_UNKNOWN] == 0))
        fxt_writer_write(writer, &record);
}

static void write_source_counts(struct fxt_writer *writer, const struct recording *r)
{
    struct fxt_record record = make_event(r, "sampled_event_end");

    for (uint32_t i = 0; i < r->n_sources; i++) {
        const struct sampled_source *source = &r->sources[i];
        struct fxt_arg args[4];

        record.args = args;
        record.n_args = 0;
        args[record.n_args++] = make_number("number", i);
        if (source->counted > 0 && source->sampled > 0) {
            args[record.n_args++] = make_number("counted", source->counted);
            args[record.n_args++] = make_number("sampled", source->sampled);
        }
        if (source->lost > 0)
            args[record.n_args++] = make_number("lost", source->lost);
        if (record.n_args > 1)
            fxt_writer_write(writer, &record);
    }
}

void recording_write_end(struct fxt_writer *writer, const struct recording *r,
                         const struct recording_end *end)
{
    struct fxt_record record = make_event(r, "recording_end");
    struct fxt_arg args[5];

    write_stack_ends(writer, r, end->ends);
    write_source_counts(writer, r);
    record.args = args;
    if (r->n_sources == 0)
        args[record.n_args++] = make_number("period_ns", recording_period(r));
    args[record.n_args++] = make_number("samples", end->n_samples);
    if (r->events != NULL)
        args[record.n_args++] = make_string("events", r->events);
    if (end->n_unwritten > 0)
        args[record.n_args++] = make_number("unwritten", end->n_unwritten);
    if (r->n_throttled > 0)
        args[record.n_args++] = make_number("throttled", r->n_throttled);
    fxt_writer_write(writer, &record);
}
