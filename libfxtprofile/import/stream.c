/* SPDX-License-Identifier: BSD-2-Clause */
/* See stream.h. */
#include "stream.h"

static void report_error(struct stream *s, struct fxt_error error)
{
    const struct import_client *client = s->settings->client;

    error.offset += s->offset;
    client->on_error(client->context, s->name, &error);
    s->n_errors += error.severity >= FXT_ERROR;
}

static void report_held(struct stream *s)
{
    if (s->has_held)
        report_error(s, s->held);
    s->has_held = false;
}

/* A string that was never registered is worth a warning, except in a kernel's record of
 * what it dropped: its strings are in a table of the kernel that is not in the output. So
 * the warning is held until its record. */
int stream_take_error(void *context, const struct fxt_error *error)
{
    struct stream *s = (struct stream *)context;

    report_held(s);
    if (error->code == FXT_E_DATA_AFTER_END && error->severity == FXT_WARNING) {
        s->has_tail = true;
        s->tail_offset = error->offset;
    }
    if (error->code == FXT_E_STRING_UNKNOWN) {
        s->held = *error;
        s->has_held = true;
    } else {
        report_error(s, *error);
    }
    return 0;
}

int stream_take_record(void *context, const struct fxt_record *record)
{
    struct stream *s = (struct stream *)context;
    enum fxt_sample_kind kind;

    if (s->n_skip > 0) {
        s->n_skip--;
        s->has_held = false;
        return 0;
    }
    kind = collect_record(s->collect, record);
    if (s->has_held) {
        if (kind == FXT_SAMPLE_DROPS && !s->settings->reports_all)
            s->has_held = false;
        report_held(s);
    }
    return 0;
}

void stream_start(struct stream *s, uint32_t cpu, bool is_archive)
{
    collect_start(s->collect, cpu, is_archive);
    s->has_tail = false;
}

void stream_end(struct stream *s, uint64_t n_bytes, uint64_t n_lost)
{
    collect_end(s->collect);
    if (s->has_tail)
        s->collect->tally.n_tail_bytes += n_bytes - s->tail_offset;
    s->collect->tally.n_lost_bytes += n_lost;
}
