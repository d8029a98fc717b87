/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The counters of a Firefox profile: one for each number that counter events of a process
 * have, by the event's name and id and the argument's name. A counter's samples are what
 * it has changed by since the one before, of which the viewer shows the sum.
 */
#include "firefox.h"

#include <string.h>

#include <fxt/format.h>

#include "common/base/binary.h"
#include "common/base/memory.h"
#include "common/base/table_items.h"
#include "libfxtprofile/output/event_args.h"

struct series {
    /* The process's main track. */
    uint32_t track;
    uint32_t name;
    uint64_t id;
    uint32_t arg;
    size_t n;
};

/* A value of a series. */
struct point {
    uint32_t series;
    uint32_t event;
    uint32_t arg;
};

struct counters {
    struct firefox *firefox;
    struct series *series;
    size_t n_series;
    size_t series_capacity;
    struct table table;
    struct point *points;
    size_t n_points;
    size_t point_capacity;
};

/* ---- Series ------------------------------------------------------------------------ */

static void add_event(struct counters *c, uint32_t number)
{
    struct firefox *f = c->firefox;
    const struct profile_events *list = &f->profile->events;
    const struct profile_event *event = &list->events[number];
    struct series series = {.name = event->name, .id = event->id};

    series.track = tracks_main(&f->tracks, tracks_of_event(&f->tracks, event));
    for (uint32_t i = 0; i < event->n_args; i++) {
        uint32_t arg = event->first_arg + i;
        struct point point = {.event = number, .arg = arg};

        if (!event_arg_is_number(&list->args[arg]))
            continue;
        series.arg = list->args[arg].name;
        point.series = TABLE_PUT(&c->table, c->series, c->n_series, c->series_capacity,
                                 &series, track, name, id, arg);
        c->series[point.series].n++;
        MEMORY_ADD(c->points, c->n_points, c->point_capacity, point);
    }
}

/* Brings the points of each series together, in the order of time as they are. */
static void sort_points(struct counters *c)
{
    struct point *sorted = (struct point *)memory_reserve(c->n_points * sizeof(*sorted));
    size_t *next = memory_allocate((c->n_series + 1) * sizeof(*next));

    for (size_t i = 0; i < c->n_series; i++)
        next[i + 1] = next[i] + c->series[i].n;
    for (size_t i = 0; i < c->n_points; i++)
        sorted[next[c->points[i].series]++] = c->points[i];
    memory_release(next);
    memory_release(c->points);
    c->points = sorted;
}

/* ---- Writing ----------------------------------------------------------------------- */

static double value_of(const struct profile_arg *arg)
{
    if (arg->type == FXT_ARG_DOUBLE)
        return double_of_bits(arg->value);
    if (arg->type == FXT_ARG_INT32 || arg->type == FXT_ARG_INT64)
        return (double)(int64_t)arg->value;
    return (double)arg->value;
}

static bool is_whole(const struct profile_arg *arg)
{
    return arg->type != FXT_ARG_DOUBLE &&
           (arg->value <= INT64_MAX || arg->type != FXT_ARG_UINT64);
}

/* `before` is NULL for the first one, which begins at 0. */
static void write_change(struct json_list *json, const struct profile_arg *before,
                         const struct profile_arg *now)
{
    int64_t base = before != NULL ? (int64_t)before->value : 0;
    double change = value_of(now) - (before != NULL ? value_of(before) : 0);
    int64_t whole;

    json_next(json);
    if (is_whole(now) && (before == NULL || is_whole(before)) &&
        !__builtin_sub_overflow((int64_t)now->value, base, &whole))
        json_i64(json, whole);
    else if (change - change == 0)
        text_double(&json->text, change);
    else
        /* From one end of the range to the other. */
        json_raw(json, change > 0 ? "1.7976931348623157e308" : "-1.7976931348623157e308");
}

static void write_samples(struct counters *c, const struct point *points, size_t n)
{
    struct firefox *f = c->firefox;
    const struct profile_events *list = &f->profile->events;

    text_printf(&f->json.text, ",\"samples\":{\"length\":%zu", n);
    json_begin(&f->json, ",\n\"time\":[");
    for (size_t i = 0; i < n; i++) {
        json_next(&f->json);
        firefox_add_time(f, list->events[points[i].event].time_ns);
    }
    json_begin(&f->json, "],\n\"count\":[");
    for (size_t i = 0; i < n; i++)
        write_change(&f->json, i > 0 ? &list->args[points[i - 1].arg] : NULL,
                     &list->args[points[i].arg]);
    json_raw(&f->json, "]}");
}

/* "name:argument", and the id in brackets unless that is 0. */
static void write_name(struct counters *c, const struct series *series)
{
    const struct string_table *strings = &c->firefox->profile->events.strings;
    struct string name = string_table_get(strings, series->name);
    struct string arg = string_table_get(strings, series->arg);
    struct text text = {NULL, 0, 0};

    text_add(&text, name.data, name.size);
    if (arg.size > 0)
        text_char(&text, ':');
    text_add(&text, arg.data, arg.size);
    if (series->id != 0)
        text_printf(&text, " [%llu]", (unsigned long long)series->id);
    json_string(&c->firefox->json, (struct string){text.data, text.size});
    text_free(&text);
}

/* Whether the values are bytes: by the argument's name, such as "live bytes". */
static bool is_of_bytes(const struct counters *c, const struct series *series)
{
    static const char unit[] = "bytes";
    struct string arg =
        string_table_get(&c->firefox->profile->events.strings, series->arg);
    size_t size = sizeof(unit) - 1;

    return arg.size >= size && memcmp(arg.data + arg.size - size, unit, size) == 0;
}

static void write_counter(struct counters *c, uint32_t number, const struct point *points)
{
    static const char *const colors[] = {"blue",   "green",   "orange", "purple", "teal",
                                         "yellow", "magenta", "red",    "grey"};
    const struct series *series = &c->series[number];
    struct json_list *json = &c->firefox->json;
    bool is_memory = is_of_bytes(c, series);

    json_next(json);
    json_raw(json, "\n{\"name\":");
    write_name(c, series);
    text_printf(&json->text,
                ",\"category\":\"%s\",\"description\":\"\",\"pid\":\"%u\","
                "\"mainThreadIndex\":%u",
                is_memory ? "Memory" : "FXT",
                c->firefox->tracks.tracks[series->track].pid, series->track);
    write_samples(c, points, series->n);
    text_printf(&json->text,
                ",\n\"display\":{\"graphType\":\"line-accumulated\",\"unit\":\"%s\","
                "\"color\":\"%s\",\"markerSchemaLocation\":null,\"sortWeight\":50,"
                "\"label\":",
                is_memory ? "bytes" : "",
                colors[number % (sizeof(colors) / sizeof(colors[0]))]);
    write_name(c, series);
    text_printf(&json->text,
                ",\"tooltipRows\":[{\"type\":\"value\",\"source\":\"accumulated\","
                "\"format\":{\"unit\":\"%s\"},\"label\":",
                is_memory ? "bytes" : "number");
    write_name(c, series);
    json_end(json, "}]}}");
}

void firefox_write_counters(struct firefox *f)
{
    const struct profile_events *list = &f->profile->events;
    struct counters c = {.firefox = f};
    size_t first = 0;

    for (uint32_t i = 0; i < list->n; i++) {
        if (list->events[i].kind == PROFILE_EVENT_COUNTER)
            add_event(&c, i);
    }
    sort_points(&c);
    json_begin(&f->json, ",\n\"counters\":[");
    for (uint32_t i = 0; i < c.n_series; i++) {
        write_counter(&c, i, c.points + first);
        first += c.series[i].n;
    }
    json_raw(&f->json, "]");
}
