/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of a trace of Perfetto: see perfetto.h.
 *
 * A slice is two packets, of which the end is written before the next event of its track,
 * so that the slices of a track nest; one that does not nest is on a separate track. A
 * thread's spans are on its track, as are instants, logs and flows, which are instants
 * that have the flow's number; asynchronous events of a process are on a track for each
 * name and id, and counters on a track for each argument.
 */
#include "perfetto.h"

#include <string.h>

#include <fxt/format.h>

#include "common/base/binary.h"
#include "common/base/memory.h"
#include "libfxtprofile/output/event_args.h"
#include "libfxtprofile/output/protobuf.h"
#include "perfetto_fields.h"

/* Strings of events are interned in three lists. */
enum { IS_CATEGORY = 1, IS_EVENT_NAME = 2, IS_ANNOTATION_NAME = 4 };

static uint64_t intern(struct perfetto *f, unsigned char bit, unsigned field,
                       uint32_t string)
{
    return perfetto_intern(f, f->strings, bit, field, &f->profile->events.strings,
                           string);
}

/* ---- Arguments --------------------------------------------------------------------- */

/* Readers keep unsigned numbers as signed ones: large ones are strings. */
static unsigned number_field(const struct profile_arg *arg)
{
    switch (arg->type) {
    case FXT_ARG_INT32:
    case FXT_ARG_INT64:
        return ANNOTATION_INT;
    case FXT_ARG_UINT32:
    case FXT_ARG_UINT64:
    case FXT_ARG_KOID:
        return arg->value <= INT64_MAX ? ANNOTATION_UINT : ANNOTATION_STRING;
    case FXT_ARG_POINTER:
        return ANNOTATION_POINTER;
    case FXT_ARG_BOOL:
        return ANNOTATION_BOOL;
    default:
        return ANNOTATION_STRING;
    }
}

static void add_text_value(struct perfetto *f, const struct profile_arg *arg)
{
    struct text text = {NULL, 0, 0};

    event_arg_add_value(&f->profile->events, arg, &text);
    perfetto_add_string(f, &f->entry, ANNOTATION_STRING,
                        (struct string){text.data, text.size});
    text_free(&text);
}

static void add_arg(struct perfetto *f, const struct profile_arg *arg)
{
    uint64_t name = intern(f, IS_ANNOTATION_NAME, INTERNED_ANNOTATION_NAMES, arg->name);
    unsigned field = number_field(arg);

    proto_value(&f->entry, ANNOTATION_NAME_IID, name);
    if (arg->type == FXT_ARG_DOUBLE)
        proto_fixed64(&f->entry, ANNOTATION_DOUBLE, arg->value);
    else if (field != ANNOTATION_STRING)
        proto_value(&f->entry, field, arg->value);
    else
        add_text_value(f, arg);
    proto_text(&f->message, EVENT_ANNOTATIONS, &f->entry);
}

/* The id of an asynchronous event, or of a flow. */
static void add_id(struct perfetto *f, uint64_t id)
{
    static const char name[] = "id";
    struct text text = {NULL, 0, 0};

    text_str(&text, "0x");
    text_hex(&text, id, 1);
    proto_bytes(&f->entry, ANNOTATION_STRING, text.data, text.size);
    proto_bytes(&f->entry, ANNOTATION_NAME, name, strlen(name));
    proto_text(&f->message, EVENT_ANNOTATIONS, &f->entry);
    text_free(&text);
}

/* ---- Events ------------------------------------------------------------------------ */

static bool is_async(const struct profile_event *event)
{
    return event->kind == PROFILE_EVENT_ASYNC ||
           event->kind == PROFILE_EVENT_ASYNC_INSTANT;
}

/* Perfetto joins all that have the same number, of whatever name. */
static void add_flow(struct perfetto *f, const struct profile_event *event)
{
    struct async_group flow =
        async_group_of_flow(event->id, event->name, event->category);

    proto_fixed64(&f->message,
                  event->kind == PROFILE_EVENT_FLOW_END ? EVENT_LAST_FLOW_IDS
                                                        : EVENT_FLOW_IDS,
                  (uint64_t)async_groups_find(&f->flows, &flow) + 1);
}

static void write_event(struct perfetto *f, const struct profile_event *event,
                        uint64_t uuid, unsigned type)
{
    const struct profile_events *list = &f->profile->events;

    if (string_table_get(&list->strings, event->category).size > 0)
        proto_value(&f->message, EVENT_CATEGORY_IIDS,
                    intern(f, IS_CATEGORY, INTERNED_CATEGORIES, event->category));
    for (uint32_t i = 0; i < event->n_args; i++)
        add_arg(f, &list->args[event->first_arg + i]);
    if (is_async(event) || profile_event_is_of_flow(event))
        add_id(f, event->id);
    proto_value(&f->message, EVENT_TYPE, type);
    proto_value(&f->message, EVENT_NAME_IID,
                intern(f, IS_EVENT_NAME, INTERNED_EVENT_NAMES, event->name));
    proto_value(&f->message, EVENT_TRACK_UUID, uuid);
    if (profile_event_is_of_flow(event))
        add_flow(f, event);
    perfetto_write_at(f, event->time_ns, PACKET_TRACK_EVENT);
}

/* ---- Slices ------------------------------------------------------------------------ */

static void write_end(struct perfetto *f, uint64_t uuid, uint64_t time_ns)
{
    /* Without a name, which would end other slices, too. */
    proto_value(&f->message, EVENT_TYPE, TYPE_SLICE_END);
    proto_value(&f->message, EVENT_TRACK_UUID, uuid);
    perfetto_write_at(f, time_ns, PACKET_TRACK_EVENT);
}

/* Ends the slices of a track that end until then. */
static void close_slices(struct perfetto *f, uint32_t *top, uint64_t uuid,
                         uint64_t time_ns)
{
    struct open_slice slice;

    while (open_slices_pop(&f->slices, top, time_ns, &slice))
        write_end(f, uuid, slice.end_ns);
}

static bool is_slice(const struct profile_event *event)
{
    return event->kind == PROFILE_EVENT_SPAN || event->kind == PROFILE_EVENT_ASYNC ||
           event->kind == PROFILE_EVENT_DROPS;
}

/* A slice that overlaps another without being nested is on a track below theirs. */
static void write_apart(struct perfetto *f, const struct profile_event *event,
                        uint64_t parent)
{
    struct perfetto_track wanted = {
        .parent = parent, .id = event->order, .name = event->name, .arg = PERFETTO_NONE};
    uint64_t uuid = perfetto_other_uuid(f, perfetto_find_track(f, &wanted));

    write_event(f, event, uuid, TYPE_SLICE_BEGIN);
    write_end(f, uuid, event->end_ns);
}

/* Writes an event that is no counter, on the track whose innermost open slice is `top`.
 */
static void write_on(struct perfetto *f, const struct profile_event *event, uint32_t *top,
                     uint64_t uuid)
{
    close_slices(f, top, uuid, event->time_ns);
    if (!is_slice(event)) {
        write_event(f, event, uuid, TYPE_INSTANT);
    } else if (!open_slices_fits(&f->slices, *top, event->end_ns)) {
        write_apart(f, event, uuid);
    } else {
        write_event(f, event, uuid, TYPE_SLICE_BEGIN);
        open_slices_push(&f->slices, top, event->end_ns, event->order);
    }
}

static void write_async(struct perfetto *f, const struct profile_event *event,
                        uint32_t track)
{
    struct perfetto_track wanted = {
        .parent = perfetto_process_uuid(tracks_main(&f->tracks, track)),
        .id = event->id,
        .name = event->name,
        .arg = PERFETTO_NONE};
    uint32_t number = perfetto_find_track(f, &wanted);

    write_on(f, event, &f->others[number].top, perfetto_other_uuid(f, number));
}

/* ---- Counters ---------------------------------------------------------------------- */

/* Adds a number that a graph can have. */
static bool add_counter_value(struct text *message, const struct profile_arg *arg)
{
    double value;

    switch (arg->type) {
    case FXT_ARG_UINT64:
    case FXT_ARG_INT32:
    case FXT_ARG_UINT32:
    case FXT_ARG_INT64:
        if (arg->type != FXT_ARG_UINT64 || arg->value <= INT64_MAX) {
            proto_value(message, EVENT_COUNTER_VALUE, arg->value);
            return true;
        }
        value = (double)arg->value;
        break;
    case FXT_ARG_DOUBLE:
        value = double_of_bits(arg->value);
        break;
    default:
        return false;
    }
    if (value - value == 0) {
        uint64_t bits;

        memcpy(&bits, &value, sizeof(bits));
        proto_fixed64(message, EVENT_COUNTER_DOUBLE, bits);
    }
    return value - value == 0;
}

static void write_counter(struct perfetto *f, const struct profile_event *event,
                          uint32_t track)
{
    struct perfetto_track wanted = {.id = event->id, .name = event->name};
    struct text value = {NULL, 0, 0};

    wanted.parent = perfetto_process_uuid(tracks_main(&f->tracks, track));
    for (uint32_t i = 0; i < event->n_args; i++) {
        const struct profile_arg *arg = &f->profile->events.args[event->first_arg + i];
        uint32_t number;

        if (!add_counter_value(&value, arg))
            continue;
        wanted.arg = arg->name;
        number = perfetto_find_track(f, &wanted);
        proto_value(&f->message, EVENT_TYPE, TYPE_COUNTER);
        proto_value(&f->message, EVENT_TRACK_UUID, perfetto_other_uuid(f, number));
        text_add(&f->message, value.data, value.size);
        value.size = 0;
        perfetto_write_at(f, event->time_ns, PACKET_TRACK_EVENT);
    }
    text_free(&value);
}

/* ---- All --------------------------------------------------------------------------- */

static void write_one(struct perfetto *f, const struct profile_event *event)
{
    uint32_t track = tracks_of_event(&f->tracks, event);

    /* See perfetto_scheduling.c. */
    if (event->kind == PROFILE_EVENT_OFF_CPU)
        return;
    if (event->kind == PROFILE_EVENT_COUNTER)
        write_counter(f, event, track);
    else if (is_async(event))
        write_async(f, event, track);
    else
        write_on(f, event, &f->tops[track], perfetto_thread_uuid(track));
}

void perfetto_write_events(struct perfetto *f)
{
    const struct profile_events *list = &f->profile->events;

    f->tops = (uint32_t *)memory_reserve(f->tracks.n * sizeof(*f->tops));
    memset(f->tops, 0xff, f->tracks.n * sizeof(*f->tops));
    for (size_t i = 0; i < list->n && !output_failed(f->output); i++)
        write_one(f, &list->events[i]);
    for (uint32_t i = 0; i < f->tracks.n; i++)
        close_slices(f, &f->tops[i], perfetto_thread_uuid(i), UINT64_MAX);
    for (uint32_t i = 0; i < f->n_others; i++)
        close_slices(f, &f->others[i].top, perfetto_other_uuid(f, i), UINT64_MAX);
}
