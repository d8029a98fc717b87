/* SPDX-License-Identifier: BSD-2-Clause */
/* See tracks.h. */
#include "tracks.h"

#include <fxt/format.h>
#include <fxt/sample.h>

#include "common/base/table_items.h"

/* ---- Writing ----------------------------------------------------------------------- */

static bool is_allowed(const struct event_tracks *t, const struct track_event *event)
{
    return event->place.is_inside && choice_allows_event(t->choice, event->record->kind);
}

static void write_event(struct event_tracks *t, const struct track_event *event)
{
    parts_write(t->parts, event->source, NULL, event->record);
}

/* NULL if there is no tick of the clock in it. */
static const struct clock_window *find_window(const struct trace_source *source,
                                              size_t window)
{
    const struct clock_window *found;

    if (window >= source->windows.n)
        return NULL;
    found = &source->windows.windows[window];
    return found->from <= found->to ? found : NULL;
}

static bool is_async(uint32_t kind)
{
    return kind >= FXT_EVENT_ASYNC_BEGIN && kind <= FXT_EVENT_ASYNC_END;
}

/* The begin of what was open already when a window began. */
static void write_begin(struct event_tracks *t, struct track_opening *opening,
                        size_t window, uint32_t kind)
{
    const struct clock_window *edge = find_window(opening->event.source, window);

    if (edge == NULL || !choice_allows_event(t->choice, kind))
        return;
    parts_write_edge(
        t->parts, &opening->event,
        &(struct edge){.kind = kind, .timestamp = edge->from, .has_args = true});
    opening->is_written = true;
    opening->written_window = window;
}

/* Its end, where the window ends that it was written in; `event` has the thread. */
static void write_end(struct event_tracks *t, struct track_opening *opening,
                      const struct held *event, uint32_t kind)
{
    const struct clock_window *edge = find_window(event->source, opening->written_window);

    opening->is_written = false;
    if (edge != NULL && choice_allows_event(t->choice, kind))
        parts_write_edge(t->parts, event,
                         &(struct edge){.kind = kind, .timestamp = edge->to});
}

/* ---- Spans and operations ---------------------------------------------------------- */

struct kind_pair {
    uint32_t begin;
    uint32_t end;
};

static const struct kind_pair span_kinds = {FXT_EVENT_DURATION_BEGIN,
                                            FXT_EVENT_DURATION_END};
static const struct kind_pair async_kinds = {FXT_EVENT_ASYNC_BEGIN, FXT_EVENT_ASYNC_END};

/* Begins in a window what is open, the outermost first. */
static void open_all(struct event_tracks *t, struct event_track *track, size_t window,
                     const struct kind_pair *kinds)
{
    for (size_t i = 0; i < track->n; i++) {
        struct track_opening *o = &track->openings[i];

        if (o->is_chosen && !o->is_written && o->event.size > 0 &&
            o->first_window <= window)
            write_begin(t, o, window, kinds->begin);
    }
}

/* Ends what is open where a window ends, the innermost first. */
static void close_all(struct event_tracks *t, struct event_track *track, size_t window,
                      const struct kind_pair *kinds)
{
    open_all(t, track, window, kinds);
    for (size_t i = track->n; i > 0; i--) {
        struct track_opening *o = &track->openings[i - 1];

        if (o->is_written)
            write_end(t, o, &o->event, kinds->end);
    }
}

static void advance(struct event_tracks *t, struct event_track *track, struct place place,
                    const struct kind_pair *kinds)
{
    for (; track->n > 0 && track->window < place.window; track->window++)
        close_all(t, track, track->window, kinds);
    if (track->window < place.window)
        track->window = place.window;
    if (place.is_inside && place.window == track->window)
        open_all(t, track, place.window, kinds);
}

/* Most of them need no more than one. */
static void enlarge_track(struct event_track *track)
{
    size_t n = track->capacity > 0 ? 2 * track->capacity : 1;

    track->openings = (struct track_opening *)memory_reallocate(
        track->openings, n * sizeof(*track->openings));
    while (track->capacity < n)
        track->openings[track->capacity++] = (struct track_opening){.is_chosen = false};
}

static struct track_opening *push_opening(struct event_track *track)
{
    struct track_opening *opening;

    if (track->n == track->capacity)
        enlarge_track(track);
    opening = &track->openings[track->n++];
    opening->is_written = false;
    return opening;
}

/* An end or a later begin in a window needs it, or the end of that. */
static void hold(const struct event_tracks *t, struct track_opening *opening,
                 const struct track_event *event)
{
    if (event->is_chosen && event->place.window < t->windows->n)
        held_set(&opening->event, event->source, event->record);
    else
        held_clear(&opening->event);
}

static void take_begin(struct event_tracks *t, struct event_track *track,
                       const struct track_event *event)
{
    bool is_kept = event->is_chosen && is_allowed(t, event);
    struct track_opening *opening;

    if (is_kept)
        write_event(t, event);
    opening = push_opening(track);
    opening->is_chosen = event->is_chosen;
    opening->is_written = is_kept;
    opening->written_window = event->place.window;
    opening->first_window = event->place.window;
    hold(t, opening, event);
}

static void take_end(struct event_tracks *t, struct event_track *track,
                     const struct track_event *event, const struct kind_pair *kinds)
{
    struct track_opening *opening;

    if (track->n == 0) {
        if (event->is_chosen && is_allowed(t, event))
            write_event(t, event);
        return;
    }
    opening = &track->openings[--track->n];
    if (!opening->is_chosen)
        return;
    if (is_allowed(t, event)) {
        if (!opening->is_written && opening->event.size > 0)
            write_begin(t, opening, event->place.window, kinds->begin);
        write_event(t, event);
    } else if (opening->is_written && opening->event.size > 0) {
        write_end(t, opening, &opening->event, kinds->end);
    }
    held_clear(&opening->event);
}

/* ---- Flows ------------------------------------------------------------------------- */

/* A flow is its events, and nothing in between: it has no part in a window that has none
 * of them. */
static void take_flow(struct event_tracks *t, struct event_track *track,
                      const struct track_event *event)
{
    uint32_t kind = event->record->kind;
    struct track_opening *o;

    if (kind == FXT_EVENT_FLOW_BEGIN || track->n == 0) {
        track->n = 0;
        o = push_opening(track);
        o->is_chosen = event->is_chosen;
        held_clear(&o->event);
    }
    o = &track->openings[0];
    if (!o->is_chosen)
        return;
    if (o->is_written &&
        (!event->place.is_inside || event->place.window != o->written_window)) {
        held_set(&t->event, event->source, event->record);
        write_end(t, o, &t->event, FXT_EVENT_FLOW_END);
    }
    if (is_allowed(t, event)) {
        if (!o->is_written && o->event.size > 0)
            write_begin(t, o, event->place.window, FXT_EVENT_FLOW_BEGIN);
        write_event(t, event);
        o->is_written = true;
        o->written_window = event->place.window;
    }
    if (kind == FXT_EVENT_FLOW_END) {
        held_clear(&o->event);
        track->n = 0;
    } else {
        hold(t, o, event);
    }
}

/* ---- Which track ------------------------------------------------------------------- */

static struct event_track *find_thread(struct event_tracks *t,
                                       const struct fxt_event *event)
{
    struct span_thread thread = span_thread_of(&event->thread, 0);
    uint32_t number = span_thread_set_find(&t->threads, &thread);

    if (number == t->n_of_threads)
        MEMORY_ADD(t->of_threads, t->n_of_threads, t->thread_capacity,
                   (struct event_track){.n = 0});
    return &t->of_threads[number];
}

static void free_track(struct event_track *track)
{
    for (size_t i = 0; i < track->capacity; i++)
        held_free(&track->openings[i].event);
    memory_release(track->openings);
    *track = (struct event_track){.n = 0};
}

/* Removes those that have ended, when they are most of all. */
static void forget_idle(struct id_tracks *list)
{
    enum { MANY = 1024 };
    size_t n = 0;

    if (list->n_idle < MANY || list->n_idle < list->n / 2)
        return;
    for (size_t i = 0; i < list->n; i++) {
        if (list->tracks[i].track.n > 0)
            list->tracks[n++] = list->tracks[i];
        else
            free_track(&list->tracks[i].track);
    }
    list->n = n;
    list->n_idle = 0;
    TABLE_REFILL(&list->table, list->tracks, list->n, group.process, group.id,
                 group.stream, group.name, group.category);
}

/* The caller returns it by leave_id. */
static struct event_track *enter_id(struct id_tracks *list,
                                    const struct async_group *group)
{
    const struct id_track made = {.group = *group};
    uint32_t number;
    size_t n;

    forget_idle(list);
    n = list->n;
    number = TABLE_PUT(&list->table, list->tracks, list->n, list->capacity, &made,
                       group.process, group.id, group.stream, group.name, group.category);
    list->n_idle -= n == list->n && list->tracks[number].track.n == 0;
    return &list->tracks[number].track;
}

static void leave_id(struct id_tracks *list, struct event_track *track)
{
    if (track->n > 0)
        return;
    free_track(track);
    list->n_idle++;
}

static struct async_group find_async(struct event_tracks *t,
                                     const struct fxt_event *event)
{
    return (struct async_group){.process = event->thread.process,
                                .id = event->id,
                                .name = span_add_name(&t->names, &t->name, event)};
}

static struct async_group find_flow(struct event_tracks *t, const struct fxt_event *event)
{
    const struct fxt_event category = {.name = event->category};

    return async_group_of_flow(event->id, span_add_name(&t->names, &t->name, event),
                               span_add_name(&t->names, &t->name, &category));
}

static void take_instant(struct event_tracks *t, const struct event_track *track,
                         const struct track_event *event)
{
    bool is_chosen =
        track->n > 0 ? track->openings[track->n - 1].is_chosen : event->is_chosen;

    if (is_chosen && is_allowed(t, event))
        write_event(t, event);
}

static void take_async(struct event_tracks *t, const struct track_event *event)
{
    struct async_group group = find_async(t, &event->record->event);
    struct event_track *track = enter_id(&t->asyncs, &group);

    advance(t, track, event->place, &async_kinds);
    if (event->record->kind == FXT_EVENT_ASYNC_BEGIN)
        take_begin(t, track, event);
    else if (event->record->kind == FXT_EVENT_ASYNC_END)
        take_end(t, track, event, &async_kinds);
    else
        take_instant(t, track, event);
    leave_id(&t->asyncs, track);
}

void tracks_take(struct event_tracks *t, const struct track_event *event)
{
    uint32_t kind = event->record->kind;
    struct async_group group;
    struct event_track *track;

    if (is_async(kind)) {
        take_async(t, event);
    } else if (kind >= FXT_EVENT_FLOW_BEGIN) {
        group = find_flow(t, &event->record->event);
        track = enter_id(&t->flows, &group);
        take_flow(t, track, event);
        leave_id(&t->flows, track);
    } else {
        track = find_thread(t, &event->record->event);
        advance(t, track, event->place, &span_kinds);
        if (kind == FXT_EVENT_DURATION_BEGIN)
            take_begin(t, track, event);
        else
            take_end(t, track, event, &span_kinds);
    }
}

/* ---- Complete durations ------------------------------------------------------------ */

static void write_pieces(struct event_tracks *t, const struct track_event *event)
{
    const struct fxt_event *e = &event->record->event;

    held_set(&t->event, event->source, event->record);
    for (size_t i = event->place.window; i < event->source->windows.n; i++) {
        const struct clock_window *window = &event->source->windows.windows[i];
        struct edge edge = {.kind = FXT_EVENT_DURATION_COMPLETE, .has_args = true};

        if (window->from > e->end_timestamp)
            break;
        edge.timestamp = e->timestamp > window->from ? e->timestamp : window->from;
        edge.end_timestamp =
            e->end_timestamp < window->to ? e->end_timestamp : window->to;
        if (edge.timestamp <= edge.end_timestamp)
            parts_write_edge(t->parts, &t->event, &edge);
    }
}

/* What a sampler has dropped in a time has no meaning for a part of that. */
static bool is_drops(const struct fxt_record *record)
{
    struct fxt_sample sample;

    return fxt_sample_from_record(record, &sample) == FXT_SAMPLE_DROPS;
}

void tracks_take_complete(struct event_tracks *t, const struct track_event *event)
{
    const struct fxt_event *e = &event->record->event;
    const struct clock_window *window =
        &event->source->windows.windows[event->place.window];
    bool is_whole = e->end_timestamp < e->timestamp ||
                    (event->place.is_inside && e->end_timestamp <= window->to);

    if (is_whole || is_drops(event->record))
        write_event(t, event);
    else
        write_pieces(t, event);
}

/* ---- The end ----------------------------------------------------------------------- */

void tracks_finish(struct event_tracks *t, uint64_t last_ns)
{
    struct place end = {0, false};

    while (end.window < t->windows->n && t->windows->windows[end.window].to_ns < last_ns)
        end.window++;
    end.is_inside =
        end.window < t->windows->n && t->windows->windows[end.window].from_ns <= last_ns;
    for (size_t i = 0; i < t->n_of_threads; i++)
        advance(t, &t->of_threads[i], end, &span_kinds);
    for (size_t i = 0; i < t->asyncs.n; i++)
        advance(t, &t->asyncs.tracks[i].track, end, &async_kinds);
}

static void free_ids(struct id_tracks *list)
{
    for (size_t i = 0; i < list->n; i++)
        free_track(&list->tracks[i].track);
    memory_release(list->tracks);
    table_free(&list->table);
}

void tracks_free(struct event_tracks *t)
{
    for (size_t i = 0; i < t->n_of_threads; i++)
        free_track(&t->of_threads[i]);
    memory_release(t->of_threads);
    free_ids(&t->asyncs);
    free_ids(&t->flows);
    span_thread_set_free(&t->threads);
    string_table_free(&t->names);
    text_free(&t->name);
    held_free(&t->event);
}
