/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of a Firefox profile, and their samples: see firefox.h. */
#include "firefox.h"

#include <string.h>

/* ---- Threads ----------------------------------------------------------------------- */

/* The rows of one thread. */
struct rows {
    const uint64_t *times;
    const uint32_t *samples;
    size_t n;
};

static void write_stacks(struct firefox *f, struct rows rows)
{
    const struct profile *p = f->profile;

    json_begin(&f->json, ",\n\"stack\":[");
    for (size_t i = 0; i < rows.n; i++) {
        json_next(&f->json);
        json_u64(&f->json, f->tables.leaves[p->samples[rows.samples[i]].stack]);
    }
    json_raw(&f->json, "]");
}

static void write_times(struct firefox *f, struct rows rows)
{
    json_begin(&f->json, ",\n\"time\":[");
    for (size_t i = 0; i < rows.n; i++) {
        json_next(&f->json);
        firefox_add_time(f, rows.times[i]);
    }
    json_raw(&f->json, "]");
}

/* How many events the sample of a moment stands for. */
static int64_t weight_of(const struct profile *p, uint32_t sample, uint32_t type)
{
    const int64_t *values = p->values + (size_t)sample * p->n_types;

    return values[0] > 0 ? values[type] / values[0] : 0;
}

/* Samples that were counted are equal, unless they are of an event that is no time; those
 * of spans and waits stand for a time. */
static void write_weights(struct firefox *f, struct rows rows)
{
    const struct profile *p = f->profile;
    uint32_t type = output_value_type(p, f->settings);
    bool is_time = profile_is_of_times(p) && type > 0;
    bool is_of_event = p->has_events && strcmp(p->types[type].unit, "count") == 0;

    json_raw(&f->json, is_time ? ",\n\"weightType\":\"tracing-ms\""
                               : ",\n\"weightType\":\"samples\"");
    if (timeline_has_moments(p) && !is_of_event) {
        json_raw(&f->json, ",\"weight\":null");
        return;
    }
    json_begin(&f->json, ",\n\"weight\":[");
    for (size_t i = 0; i < rows.n; i++) {
        int64_t value = p->values[(size_t)rows.samples[i] * p->n_types + type];

        json_next(&f->json);
        if (is_of_event)
            json_i64(&f->json, weight_of(p, rows.samples[i], type));
        else if (is_time)
            firefox_add_ms(&f->json.text, value > 0 ? (uint64_t)value : 0);
        else
            json_i64(&f->json, value);
    }
    json_raw(&f->json, "]");
}

/* A sample is taken when its thread has used the CPU for another period. The column is
 * optional, but the viewer never finishes loading an empty one. */
static void write_cpu_use(struct firefox *f, struct rows rows)
{
    const struct profile *p = f->profile;
    struct text period = {NULL, 0, 0};

    if (rows.n == 0 || p->period == 0 || !profile_is_of_samples(p))
        return;
    text_u64(&period, p->period);
    json_begin(&f->json, ",\n\"threadCPUDelta\":[");
    for (size_t i = 0; i < rows.n; i++) {
        json_next(&f->json);
        if (i == 0)
            json_raw(&f->json, "null");
        else
            text_add(&f->json.text, period.data, period.size);
    }
    json_raw(&f->json, "]");
    text_free(&period);
}

static void write_samples(struct firefox *f, uint32_t track)
{
    size_t first = f->first_rows[track];
    struct rows rows = {f->rows.times + first, f->rows.samples + first,
                        f->first_rows[track + 1] - first};

    text_printf(&f->json.text, ",\n\"samples\":{\"length\":%zu", rows.n);
    write_stacks(f, rows);
    write_times(f, rows);
    write_weights(f, rows);
    write_cpu_use(f, rows);
    json_raw(&f->json, "}");
}

static void write_names(struct firefox *f, const struct track *track)
{
    struct text name = {NULL, 0, 0};

    tracks_name_thread(&f->tracks, track, &name);
    json_raw(&f->json, "\n{\"name\":");
    json_string(&f->json, (struct string){name.data, name.size});
    name.size = 0;
    tracks_name_process(&f->tracks, track, &name);
    json_raw(&f->json, ",\"processName\":");
    json_string(&f->json, (struct string){name.data, name.size});
    text_free(&name);
}

/* Fields without meaning here, some of which the viewer requires. */
static void write_rest(struct firefox *f, bool is_main)
{
    json_raw(&f->json, ",\"processType\":\"default\",\"processStartupTime\":0,"
                       "\"processShutdownTime\":null,\"registerTime\":0,"
                       "\"unregisterTime\":null,\"pausedRanges\":[],"
                       "\"showMarkersInTimeline\":true,\"isMainThread\":");
    json_raw(&f->json, is_main ? "true" : "false");
}

static void write_thread(struct firefox *f, uint32_t number)
{
    const struct track *track = &f->tracks.tracks[number];

    json_next(&f->json);
    write_names(f, track);
    text_printf(&f->json.text, ",\"pid\":\"%u\",\"tid\":%u", track->pid, track->tid);
    write_rest(f, track->is_main);
    write_samples(f, number);
    firefox_write_markers(f, number);
    json_end(&f->json, "}");
}

/* The viewer refuses a profile without threads. */
static void write_empty_thread(struct firefox *f)
{
    json_raw(&f->json, "{\"name\":\"empty\",\"processName\":\"empty\",\"pid\":\"0\","
                       "\"tid\":0");
    write_rest(f, true);
    json_raw(&f->json,
             ",\"samples\":{\"length\":0,\"stack\":[],\"time\":[],\"weight\":null,"
             "\"weightType\":\"samples\"},\"markers\":{\"length\":0,\"data\":[],"
             "\"name\":[],\"startTime\":[],\"endTime\":[],\"phase\":[],"
             "\"category\":[]}}");
}

void firefox_write_threads(struct firefox *f)
{
    json_begin(&f->json, ",\n\"threads\":[");
    for (uint32_t i = 0; i < f->tracks.n && !output_failed(f->json.output); i++)
        write_thread(f, i);
    if (f->tracks.n == 0)
        write_empty_thread(f);
    json_raw(&f->json, "]");
}
