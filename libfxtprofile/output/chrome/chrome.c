/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile as a trace in Chrome's JSON (the Trace Event Format): see chrome.h. Processes
 * and threads have names, and events are of threads; the samples and the tree of their
 * stacks are lists beside the events.
 */
#include "chrome.h"

#include <inttypes.h>
#include <string.h>

#include <fxt/version.h>

enum { NS_PER_US = 1000 };

/* ---- Times ------------------------------------------------------------------------- */

void chrome_add_us(struct text *text, uint64_t ns)
{
    uint32_t rest = (uint32_t)(ns % NS_PER_US);
    char digits[4] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
                      (char)('0' + rest % 10)};

    text_u64(text, ns / NS_PER_US);
    if (rest != 0)
        text_add(text, digits, sizeof(digits));
}

void chrome_add_time(struct chrome *c, uint64_t time_ns)
{
    chrome_add_us(&c->json.text, timeline_distance(c->profile, c->start_ns, time_ns));
}

/* ---- Processes and threads --------------------------------------------------------- */

/* Some readers insist on a time. */
static void write_metadata(struct chrome *c, const struct track *track, const char *name)
{
    json_next(&c->json);
    text_printf(&c->json.text,
                "\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"ts\":0,\"name\":\"%s\","
                "\"args\":{",
                track->pid, track->tid, name);
}

typedef void name_fn(const struct tracks *tracks, const struct track *track,
                     struct text *text);

static void write_name(struct chrome *c, const struct track *track, const char *key,
                       name_fn *add)
{
    write_metadata(c, track, key);
    c->value.size = 0;
    add(&c->tracks, track, &c->value);
    json_raw(&c->json, "\"name\":");
    json_string(&c->json, (struct string){c->value.data, c->value.size});
    json_end(&c->json, "}}");
}

static void write_place(struct chrome *c, const struct track *track, const char *key,
                        uint32_t place)
{
    write_metadata(c, track, key);
    text_printf(&c->json.text, "\"sort_index\":%u", place);
    json_end(&c->json, "}}");
}

static void write_tracks(struct chrome *c)
{
    for (uint32_t i = 0; i < c->tracks.n; i++) {
        const struct track *track = &c->tracks.tracks[i];

        if (track->is_main) {
            write_name(c, track, "process_name", tracks_name_process);
            write_place(c, track, "process_sort_index", i);
        }
        write_name(c, track, "thread_name", tracks_name_thread);
        write_place(c, track, "thread_sort_index", i);
    }
}

/* ---- What the recording is --------------------------------------------------------- */

/* Nanoseconds, of which no digit is lost. */
static void write_number(struct chrome *c, const char *key, uint64_t number)
{
    text_printf(&c->json.text, ",\"%s\":\"%" PRIu64 "\"", key, number);
}

/* The time of day of time 0; the profile has that of its first sample. */
static void write_wall_clock(struct chrome *c)
{
    const struct profile *p = c->profile;
    uint64_t before = p->first_ns > c->start_ns ? p->first_ns - c->start_ns : 0;

    if (p->start_ns != 0 && p->start_ns >= before)
        write_number(c, "start_unix_ns", p->start_ns - before);
}

static void write_others(struct chrome *c)
{
    const struct profile *p = c->profile;

    json_raw(&c->json, ",\n\"displayTimeUnit\":\"ns\",\n"
                       "\"otherData\":{\"generator\":\"libfxt " FXT_VERSION_STRING "\"");
    if (!p->is_of_captures)
        write_number(c, "start_clock_ns", c->start_ns);
    write_wall_clock(c);
    if (p->period > 0)
        write_number(c, "period_ns", p->period);
    for (size_t i = 0; i < p->n_comments; i++) {
        text_printf(&c->json.text, ",\n\"note %zu\":", i + 1);
        json_string(&c->json, string_from(p->comments[i].sentence));
    }
    json_raw(&c->json, "}");
}

/* ---- All --------------------------------------------------------------------------- */

/* Perfetto takes a file that does not begin so for another format. */
static void write_chrome(const struct profile *p, const struct output_settings *settings,
                         struct output *output)
{
    struct chrome c = {.profile = p, .settings = settings, .json = {.output = output}};

    tracks_make(&c.tracks, p);
    c.start_ns = timeline_start(p);
    json_begin(&c.json, "{\"traceEvents\":[");
    write_tracks(&c);
    chrome_write_events(&c);
    json_raw(&c.json, "]");
    chrome_write_samples(&c);
    write_others(&c);
    json_raw(&c.json, "}\n");
    output_text(output, &c.json.text);
}

const struct output_format output_chrome = {
    .description = "a trace in Chrome's JSON, which many viewers read",
    .uses = FXT_PROFILE_USE_SPANS | FXT_PROFILE_USE_VALUE,
    .is_compressed = true,
    .is_timeline = true,
    .heap_refusal = "this format is a timeline of samples, and cannot represent heaps",
    .write = write_chrome,
};
