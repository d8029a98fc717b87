/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile as a trace of Perfetto (perfetto.dev), in protocol buffers: see perfetto.h.
 * Processes and threads are tracks, with slices, instants, flows and counters; samples
 * are PerfSample, which all versions show.
 */
#include "perfetto.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/quote.h"
#include "libfxtprofile/output/protobuf.h"
#include "libfxtprofile/output/timeline/timeline_rows.h"
#include "perfetto_fields.h"

/* Packets that are embedded may be read together with others: their sequence has the
 * letters FXT. */
enum { SEQUENCE_ID = 1, EMBEDDED_SEQUENCE_ID = 0x465854, BLOCK = 1 << 16 };

/* ---- Packets ----------------------------------------------------------------------- */

/* The most bytes of what is in a packet beside the definitions and the message. */
enum { NUMBERS_MAX = 96 };

static unsigned char *put_text(unsigned char *to, struct text *text)
{
    if (text->size > 0)
        memcpy(to, text->data, text->size);
    to += text->size;
    text->size = 0;
    return to;
}

/* What comes before the definitions. Readers have signed times: one that is above
 * INT64_MAX is none. */
static unsigned char *put_head(const struct perfetto *f, unsigned char *to,
                               uint64_t time_ns)
{
    if (time_ns <= INT64_MAX)
        to = proto_put_field(to, PACKET_TIMESTAMP, time_ns);
    to = proto_put_field(to, PACKET_SEQUENCE_ID,
                         f->settings->wanted.embedded ? EMBEDDED_SEQUENCE_ID
                                                      : SEQUENCE_ID);
    if (f->interned.size > 0)
        to = proto_put_start(to, PACKET_INTERNED_DATA, f->interned.size);
    return to;
}

/* What comes between them and the message. */
static unsigned char *put_middle(const struct perfetto *f, unsigned char *to,
                                 unsigned field)
{
    to = proto_put_field(to, PACKET_SEQUENCE_FLAGS,
                         field == PACKET_DEFAULTS ? FLAG_CLEARED : FLAG_NEEDS_STATE);
    return proto_put_start(to, field, f->message.size);
}

/* Stores the size of a packet's body in the byte before it. Where that takes more bytes,
 * the body moves. Returns its end. */
static unsigned char *put_size(unsigned char *body, size_t size)
{
    unsigned char number[VARINT_MAX];
    size_t n;

    if (FXT_LIKELY(size < 0x80)) {
        body[-1] = (unsigned char)size;
        return body + size;
    }
    n = (size_t)(store_varint(number, size) - number);
    memmove(body - 1 + n, body, size);
    memcpy(body - 1, number, n);
    return body - 1 + n + size;
}

static void write_packet(struct perfetto *f, uint64_t time_ns, unsigned field)
{
    size_t size = f->interned.size + f->message.size;
    unsigned char *start = (unsigned char *)text_room(&f->packets, size + NUMBERS_MAX);
    unsigned char *body = proto_put_start(start, TRACE_PACKET, 0);
    unsigned char *end = put_head(f, body, time_ns);

    end = put_text(end, &f->interned);
    end = put_middle(f, end, field);
    end = put_text(end, &f->message);
    end = put_size(body, (size_t)(end - body));
    f->packets.size += (size_t)(end - start);
    if (f->packets.size >= BLOCK)
        output_text(f->output, &f->packets);
}

void perfetto_write(struct perfetto *f, unsigned field)
{
    write_packet(f, UINT64_MAX, field);
}

uint64_t perfetto_time(const struct perfetto *f, uint64_t time_ns)
{
    time_ns = timeline_distance(f->profile, 0, time_ns);
    return time_ns < INT64_MAX ? time_ns : INT64_MAX;
}

void perfetto_write_at(struct perfetto *f, uint64_t time_ns, unsigned field)
{
    write_packet(f, perfetto_time(f, time_ns), field);
}

void perfetto_add_string(struct perfetto *f, struct text *message, unsigned field,
                         struct string string)
{
    f->name.size = 0;
    quote_utf8(&f->name, string.data, string.size);
    proto_text(message, field, &f->name);
}

uint64_t perfetto_intern(struct perfetto *f, unsigned char *defined, unsigned char bit,
                         unsigned field, const struct string_table *strings,
                         uint32_t number)
{
    if ((defined[number] & bit) == 0) {
        defined[number] |= bit;
        proto_value(&f->entry, ENTRY_IID, (uint64_t)number + 1);
        perfetto_add_string(f, &f->entry, ENTRY_STRING,
                            string_table_get(strings, number));
        proto_text(&f->interned, field, &f->entry);
    }
    return (uint64_t)number + 1;
}

/* ---- The beginning ----------------------------------------------------------------- */

/* The first packet: nothing was interned before. */
static void write_defaults(struct perfetto *f)
{
    proto_number(&f->stack, TIMEBASE_PERIOD, f->profile->period);
    proto_value(&f->stack, TIMEBASE_COUNTER, COUNTER_IS_CPU_CLOCK);
    proto_text(&f->entry, PERF_DEFAULTS_TIMEBASE, &f->stack);
    proto_text(&f->message, DEFAULTS_PERF_SAMPLE, &f->entry);
    perfetto_write(f, PACKET_DEFAULTS);
}

static void add_clock(struct perfetto *f, unsigned id, uint64_t time_ns)
{
    proto_value(&f->entry, CLOCK_ID, id);
    proto_value(&f->entry, CLOCK_TIMESTAMP, time_ns);
    proto_text(&f->message, SNAPSHOT_CLOCKS, &f->entry);
}

/* The input's clock is taken for the time since the machine was started, which is
 * Perfetto's own; and what time it was is known of the first sample. */
static void write_clocks(struct perfetto *f)
{
    const struct profile *p = f->profile;

    if (p->start_ns == 0 || p->is_of_captures || p->first_ns > INT64_MAX)
        return;
    add_clock(f, CLOCK_IS_REALTIME, p->start_ns);
    add_clock(f, CLOCK_IS_BOOTTIME, p->first_ns);
    proto_value(&f->message, SNAPSHOT_PRIMARY_CLOCK, CLOCK_IS_BOOTTIME);
    perfetto_write(f, PACKET_CLOCK_SNAPSHOT);
}

/* ---- Samples ----------------------------------------------------------------------- */

/* In an archive, Perfetto knows threads by the low bits of their koids. */
static unsigned char *put_ids(const struct perfetto *f, unsigned char *end,
                              const struct track *track)
{
    bool is_embedded = f->settings->wanted.embedded;

    end = proto_put_field(end, SAMPLE_PID,
                          is_embedded ? (uint32_t)track->process : track->pid);
    return proto_put_field(end, SAMPLE_TID,
                           is_embedded ? (uint32_t)track->thread : track->tid);
}

/* `value` is what the sample stands for, if that is not one. */
static void write_sample(struct perfetto *f, struct profile_moment moment, uint64_t value)
{
    const struct profile *p = f->profile;
    const struct profile_sample *sample = &p->samples[moment.sample];
    const struct track *track =
        &f->tracks.tracks[tracks_of_sample(&f->tracks, moment.sample)];
    uint32_t cpu = p->labels[sample->labels].cpu;
    uint64_t stack = perfetto_intern_stack(f, sample->stack);
    unsigned mode = f->stacks[sample->stack] - PERFETTO_DEFINED;
    unsigned char *start = (unsigned char *)text_room(&f->message, 12 * VARINT_MAX);
    unsigned char *end = start;

    if (cpu != PROFILE_NO_CPU)
        end = proto_put_field(end, SAMPLE_CPU, cpu);
    end = put_ids(f, end, track);
    end = proto_put_field(end, SAMPLE_CALLSTACK, stack);
    if (mode != 0)
        end = proto_put_field(end, SAMPLE_CPU_MODE, mode);
    if (value != 1)
        end = proto_put_field(end, SAMPLE_COUNT, value);
    f->message.size += (size_t)(end - start);
    perfetto_write_at(f, moment.time_ns, PACKET_PERF_SAMPLE);
}

/* Samples that follow soon are scattered in memory. */
static void write_moments(struct perfetto *f)
{
    enum { AHEAD = 8 };
    const struct profile *p = f->profile;

    for (size_t i = 0; i < p->n_moments && !output_failed(f->output); i++) {
        if (i + 2 * AHEAD < p->n_moments) {
            FXT_PREFETCH(&p->samples[p->moments[i + 2 * AHEAD].sample]);
            FXT_PREFETCH(&f->stacks[p->samples[p->moments[i + AHEAD].sample].stack]);
            FXT_PREFETCH(&p->labels[p->samples[p->moments[i + AHEAD].sample].labels]);
        }
        write_sample(f, p->moments[i], 1);
    }
}

/* A profile of spans or waits has no moments, but samples that stand for a time. */
static void write_samples(struct perfetto *f, uint32_t type)
{
    const struct profile *p = f->profile;

    for (size_t i = 0; i < p->n_samples && !output_failed(f->output); i++) {
        struct profile_moment moment = {p->labels[p->samples[i].labels].time_ns,
                                        (uint32_t)i};
        int64_t value = p->values[i * p->n_types + type];

        write_sample(f, moment, value > 0 ? (uint64_t)value : 0);
    }
}

/* ---- All --------------------------------------------------------------------------- */

static unsigned char *make_flags(size_t n)
{
    return memory_allocate(n);
}

static void start(struct perfetto *f)
{
    const struct profile *p = f->profile;

    tracks_make(&f->tracks, p);
    f->stacks = make_flags(p->n_stacks);
    f->lines = make_flags(p->n_lines);
    f->names = make_flags(p->names.n);
    f->files = make_flags(p->files.n);
    f->build_ids = make_flags(p->build_ids.n);
    f->mappings = make_flags(p->n_mappings + 1);
    f->strings = make_flags(p->events.strings.n);
}

static void write_perfetto(const struct profile *p,
                           const struct output_settings *settings, struct output *output)
{
    struct perfetto f = {.profile = p, .settings = settings, .output = output};

    start(&f);
    write_defaults(&f);
    if (!settings->wanted.embedded) {
        write_clocks(&f);
        perfetto_write_tracks(&f);
        perfetto_write_comments(&f, timeline_start(p));
    }
    if (timeline_has_moments(p))
        write_moments(&f);
    else
        write_samples(&f, output_value_type(p, settings));
    if (!settings->wanted.embedded) {
        perfetto_write_events(&f);
        perfetto_write_scheduling(&f);
    }
    output_text(output, &f.packets);
}

const struct output_format output_perfetto = {
    .description = "a trace for Perfetto, in protocol buffers",
    .uses = FXT_PROFILE_USE_SPANS | FXT_PROFILE_USE_VALUE,
    .is_binary = true,
    .is_compressed = true,
    .has_signed_times = true,
    .is_timeline = true,
    .keeps_scheduling = true,
    .heap_refusal = "this format is a timeline of samples, and cannot represent heaps",
    .write = write_perfetto,
};
