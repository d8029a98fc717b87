/* SPDX-License-Identifier: BSD-2-Clause */
/* See cutter.h. */
#include "cutter.h"

#include <fxt/compiler.h>
#include <fxt/format.h>

static void begin(struct trace_cutter *c)
{
    const struct fxt_reader *reader = c->taker.reader;

    c->has_begun = true;
    c->keeps_all = !choice_is_set(c->choice) && c->windows->n == 0 && c->thin.every <= 1;
    c->has_tracks = c->windows->n > 0 || c->thin.every > 1 ||
                    c->choice->lists[EXPRESSION_CATEGORY].n > 0 ||
                    c->choice->lists[EXPRESSION_NAME].n > 0;
    c->may_skip = !c->has_tracks;
    c->parts.has_marks = !c->keeps_all || c->parts.split.by != SPLIT_NOT;
    c->parts.is_part = choice_is_set(c->choice);
    c->tracks.parts = &c->parts;
    c->tracks.choice = c->choice;
    c->tracks.windows = c->windows;
    parts_begin(&c->parts, fxt_reader_stream(reader) == FXT_STREAM_ARCHIVE,
                fxt_reader_byte_order(reader) != FXT_BYTE_ORDER_AUTO &&
                    fxt_reader_byte_order(reader) != FXT_BYTE_ORDER_HOST);
}

/* Where in time a record is. Without windows all of them are in one. */
static struct place find_place(const struct trace_cutter *c, struct trace_source *source,
                               const struct fxt_record *record)
{
    uint64_t rate = record->provider->ticks_per_second;
    uint64_t ticks;

    if (c->windows->n == 0)
        return (struct place){0, true};
    if (source->windows.ticks_per_second != rate)
        clock_windows_update(&source->windows, c->windows, rate);
    if (!fxt_record_time(record, &ticks))
        return (struct place){0, false};
    if (!source->has_time || ticks > source->last_ticks)
        source->last_ticks = ticks;
    source->has_time = true;
    return clock_windows_place(&source->windows, ticks);
}

/* Ends are not counted: they go with their begins, as what follows in a flow does. */
static bool is_begin(uint32_t kind)
{
    return kind == FXT_EVENT_DURATION_BEGIN || kind == FXT_EVENT_ASYNC_BEGIN ||
           kind == FXT_EVENT_FLOW_BEGIN;
}

static void take_tracked(struct trace_cutter *c, struct track_event *event)
{
    event->is_chosen =
        c->keeps_all || choice_matches_track(c->choice, event->source, event->record);
    if (event->is_chosen && is_begin(event->record->kind))
        event->is_chosen = thin_takes(&c->thin, event->record);
    tracks_take(&c->tracks, event);
}

/* Those that are in no window, not even in part, are not counted. */
static void take_complete(struct trace_cutter *c, const struct track_event *event)
{
    const struct fxt_event *e = &event->record->event;
    const struct clock_windows *windows = &event->source->windows;
    bool is_in_part = event->place.window < windows->n &&
                      e->end_timestamp >= windows->windows[event->place.window].from;

    if (event->is_chosen && (event->place.is_inside || is_in_part) &&
        thin_takes(&c->thin, event->record))
        tracks_take_complete(&c->tracks, event);
}

static void take_other(struct trace_cutter *c, const struct track_event *event,
                       struct slot *slot)
{
    bool is_kept =
        event->is_chosen && event->place.is_inside && thin_takes(&c->thin, event->record);

    if (is_kept)
        parts_write(&c->parts, event->source, slot, event->record);
    if (description_is(event->record))
        parts_take_description(&c->parts, event->source, event->record, is_kept);
}

/* Not inlined into cutter_take: most records may be those that it skips, which need few
 * registers. */
static FXT_NOINLINE int take_record(struct trace_cutter *c,
                                    const struct fxt_record *record)
{
    struct slot *slot = sources_take(&c->parts.sources, record);
    struct trace_source *source = sources_find(&c->parts.sources, record->provider->id);
    struct track_event event = {.source = source, .record = record};

    if (!c->has_begun)
        begin(c);
    c->parts.is_part = c->parts.is_part || part_mark_is_stated(record);
    event.place = find_place(c, source, record);
    if (c->has_tracks && record->type == FXT_RECORD_EVENT && tracks_have(record->kind)) {
        take_tracked(c, &event);
        return c->parts.failed;
    }
    event.is_chosen = c->keeps_all || choice_matches(c->choice, source, record);
    if (c->windows->n > 0 && record->type == FXT_RECORD_EVENT &&
        record->kind == FXT_EVENT_DURATION_COMPLETE)
        take_complete(c, &event);
    else
        take_other(c, &event, slot);
    return c->parts.failed;
}

int cutter_take(void *context, const struct fxt_record *record)
{
    struct trace_cutter *c = (struct trace_cutter *)context;

    if (c->may_skip && choice_skips(c->choice, record) &&
        !description_is_of_recorder(record))
        return 0;
    return take_record(c, record);
}

void cutter_release(void *context)
{
    struct trace_cutter *c = (struct trace_cutter *)context;

    if (c->parts.part.output == NULL)
        return;
    part_flush(&c->parts.part);
    c->parts.failed = c->parts.failed || output_failed(c->parts.part.output);
}

/* The latest time of all providers. */
static uint64_t find_last(const struct trace_sources *sources)
{
    uint64_t last_ns = 0;

    for (size_t i = 0; i < sources->n; i++) {
        const struct trace_source *source = sources->sources[i];
        uint64_t ns;

        if (!source->has_time)
            continue;
        fxt_ticks_to_ns(source->last_ticks, source->windows.ticks_per_second, &ns);
        if (ns > last_ns)
            last_ns = ns;
    }
    return last_ns;
}

void cutter_finish(void *context)
{
    struct trace_cutter *c = (struct trace_cutter *)context;

    if (!c->has_begun)
        begin(c);
    tracks_finish(&c->tracks, find_last(&c->parts.sources));
    parts_end(&c->parts);
    cutter_release(c);
}

void cutter_free(struct trace_cutter *c)
{
    tracks_free(&c->tracks);
    thin_free(&c->thin);
    parts_free(&c->parts);
}
