/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of a trace in Chrome's JSON: see chrome.h.
 *
 * Spans are complete events of their thread, which need no end that could be missing.
 * What cannot be nested there are asynchronous slices, a begin and an end with an id:
 * asynchronous events, with a lane for each id and category in a process; the times for
 * which a thread did not run; and spans that overlap others of their thread.
 *
 * An arrow of a flow begins and ends at the slice around its event, which is lost where
 * there is none: each event of a flow is a slice without length.
 */
#include "chrome.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/table_items.h"
#include "libfxtprofile/output/event_args.h"

/* ---- Members ----------------------------------------------------------------------- */

static void add_string(struct chrome *c, const char *key, uint32_t string)
{
    json_raw(&c->json, key);
    json_string(&c->json, string_table_get(&c->profile->events.strings, string));
}

static void add_id(struct chrome *c, uint64_t id)
{
    json_raw(&c->json, ",\"id\":\"0x");
    text_hex(&c->json.text, id, 1);
    text_char(&c->json.text, '"');
}

/* What all events have. Some readers insist on a category. */
static void begin_event(struct chrome *c, char phase, const struct profile_event *event,
                        uint64_t time_ns)
{
    const struct track *track = &c->tracks.tracks[tracks_of_event(&c->tracks, event)];

    json_next(&c->json);
    json_raw(&c->json, "\n{\"ph\":\"");
    text_char(&c->json.text, phase);
    json_raw(&c->json, "\",\"pid\":");
    json_u64(&c->json, track->pid);
    json_raw(&c->json, ",\"tid\":");
    json_u64(&c->json, track->tid);
    json_raw(&c->json, ",\"ts\":");
    chrome_add_time(c, time_ns);
    add_string(c, ",\"name\":", event->name);
    add_string(c, ",\"cat\":", event->category);
}

static void write_complete(struct chrome *c, const struct profile_event *event)
{
    begin_event(c, 'X', event, event->time_ns);
    json_raw(&c->json, ",\"dur\":");
    chrome_add_us(&c->json.text, event->end_ns - event->time_ns);
    chrome_write_args(c, event, false);
    json_end(&c->json, "}");
}

/* ---- Lanes ------------------------------------------------------------------------- */

enum lane_kind { LANE_ASYNC, LANE_OFF_CPU, LANE_APART };

static uint32_t lane_of(struct chrome *c, const struct profile_event *event,
                        enum lane_kind kind)
{
    uint32_t track = tracks_of_event(&c->tracks, event);
    struct chrome_lane wanted = {.category = event->category, .top = OPEN_SLICES_NONE};

    if (kind == LANE_ASYNC)
        track = tracks_main(&c->tracks, track);
    if (kind != LANE_OFF_CPU)
        wanted.id = kind == LANE_ASYNC ? event->id : event->order;
    wanted.parent = (uint64_t)kind << 32 | track;
    return TABLE_PUT(&c->lane_table, c->lanes, c->n_lanes, c->lane_capacity, &wanted,
                     parent, id, category);
}

static bool is_async(const struct profile_event *event)
{
    return event->kind == PROFILE_EVENT_ASYNC ||
           event->kind == PROFILE_EVENT_ASYNC_INSTANT;
}

static void write_begin(struct chrome *c, char phase, const struct profile_event *event,
                        uint32_t lane)
{
    begin_event(c, phase, event, event->time_ns);
    add_id(c, (uint64_t)lane + 1);
    chrome_write_args(c, event, is_async(event));
    json_end(&c->json, "}");
}

/* A reader finds the begin by name, innermost first. */
static void write_end(struct chrome *c, const struct profile_event *event, uint32_t lane)
{
    begin_event(c, 'e', event, event->end_ns);
    add_id(c, (uint64_t)lane + 1);
    json_end(&c->json, "}");
}

static void write_apart(struct chrome *c, const struct profile_event *event)
{
    uint32_t lane = lane_of(c, event, LANE_APART);

    write_begin(c, 'b', event, lane);
    write_end(c, event, lane);
}

/* Writes the ends of a lane's slices that end until then. */
static void close_lane(struct chrome *c, uint32_t lane, uint64_t time_ns)
{
    struct open_slice slice;

    while (open_slices_pop(&c->slices, &c->lanes[lane].top, time_ns, &slice))
        write_end(c, &c->profile->events.events[slice.event], lane);
}

static void write_on_lane(struct chrome *c, const struct profile_event *event,
                          enum lane_kind kind)
{
    uint32_t lane = lane_of(c, event, kind);

    close_lane(c, lane, event->time_ns);
    if (event->kind == PROFILE_EVENT_ASYNC_INSTANT) {
        write_begin(c, 'n', event, lane);
    } else if (!open_slices_fits(&c->slices, c->lanes[lane].top, event->end_ns)) {
        write_apart(c, event);
    } else {
        write_begin(c, 'b', event, lane);
        open_slices_push(&c->slices, &c->lanes[lane].top, event->end_ns,
                         (uint32_t)(event - c->profile->events.events));
    }
}

/* ---- On a thread's track ----------------------------------------------------------- */

static void write_span(struct chrome *c, const struct profile_event *event)
{
    uint32_t *top = &c->tops[tracks_of_event(&c->tracks, event)];
    struct open_slice slice;

    while (open_slices_pop(&c->slices, top, event->time_ns, &slice))
        continue;
    if (!open_slices_fits(&c->slices, *top, event->end_ns)) {
        write_apart(c, event);
        return;
    }
    write_complete(c, event);
    open_slices_push(&c->slices, top, event->end_ns, event->order);
}

static void write_instant(struct chrome *c, const struct profile_event *event)
{
    begin_event(c, 'i', event, event->time_ns);
    json_raw(&c->json, ",\"s\":\"t\"");
    chrome_write_args(c, event, false);
    json_end(&c->json, "}");
}

/* Without "bp" the end of an arrow is the next slice. */
static void write_flow(struct chrome *c, const struct profile_event *event, char phase)
{
    write_complete(c, event);
    begin_event(c, phase, event, event->time_ns);
    add_id(c, event->id);
    json_raw(&c->json, ",\"bp\":\"e\"");
    json_end(&c->json, "}");
}

/* An event without a number is of no graph. */
static void write_counter(struct chrome *c, const struct profile_event *event)
{
    if (!event_args_have_number(&c->profile->events, event))
        return;
    begin_event(c, 'C', event, event->time_ns);
    if (event->id != 0)
        add_id(c, event->id);
    chrome_write_values(c, event);
    json_end(&c->json, "}");
}

/* ---- All --------------------------------------------------------------------------- */

static void write_one(struct chrome *c, const struct profile_event *event)
{
    switch ((enum profile_event_kind)event->kind) {
    case PROFILE_EVENT_SPAN:
    case PROFILE_EVENT_DROPS:
        write_span(c, event);
        break;
    case PROFILE_EVENT_ASYNC:
    case PROFILE_EVENT_ASYNC_INSTANT:
        write_on_lane(c, event, LANE_ASYNC);
        break;
    case PROFILE_EVENT_OFF_CPU:
        write_on_lane(c, event, LANE_OFF_CPU);
        break;
    case PROFILE_EVENT_INSTANT:
    case PROFILE_EVENT_LOG:
        write_instant(c, event);
        break;
    case PROFILE_EVENT_COUNTER:
        write_counter(c, event);
        break;
    case PROFILE_EVENT_FLOW_BEGIN:
        write_flow(c, event, 's');
        break;
    case PROFILE_EVENT_FLOW_STEP:
        write_flow(c, event, 't');
        break;
    case PROFILE_EVENT_FLOW_END:
        write_flow(c, event, 'f');
        break;
    }
}

void chrome_write_events(struct chrome *c)
{
    const struct profile_events *list = &c->profile->events;

    c->tops = (uint32_t *)memory_reserve(c->tracks.n * sizeof(*c->tops));
    memset(c->tops, 0xff, c->tracks.n * sizeof(*c->tops));
    for (size_t i = 0; i < list->n && !output_failed(c->json.output); i++)
        write_one(c, &list->events[i]);
    for (uint32_t i = 0; i < c->n_lanes; i++)
        close_lane(c, i, UINT64_MAX);
}
