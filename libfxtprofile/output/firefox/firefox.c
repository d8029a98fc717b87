/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile for Firefox Profiler (profiler.firefox.com): see firefox.h. Each process and
 * thread is a track with its samples, in the order of time; with its spans and other
 * events as markers; and with the counters of its process.
 *
 * All times are milliseconds since the first of all samples and events.
 */
#include "firefox.h"

#include <string.h>

#include <fxt/version.h>

/* How many threads are in view at first, at most. */
enum { VISIBLE_MAX = 15 };

/* ---- What the profile is ----------------------------------------------------------- */

static void write_categories(struct firefox *f)
{
    json_raw(&f->json,
             ",\n\"categories\":["
             "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
             "{\"name\":\"User\",\"color\":\"yellow\","
             "\"subcategories\":[\"Other\",\"Inlined\"]},"
             "{\"name\":\"Kernel\",\"color\":\"orange\","
             "\"subcategories\":[\"Other\",\"Inlined\"]},"
             "{\"name\":\"JIT\",\"color\":\"green\",\"subcategories\":[\"Other\"]},"
             "{\"name\":\"Spans\",\"color\":\"blue\",\"subcategories\":[\"Other\"]},"
             "{\"name\":\"Lost\",\"color\":\"red\",\"subcategories\":[\"Other\"]}]");
}

/* A thread is in view at first if it has a two-hundredth of the samples, or events. */
static bool is_worth_a_look(const struct firefox *f, const struct track *track,
                            uint64_t n_all)
{
    return track == f->tracks.tracks || track->n_events > 0 ||
           (track->n_samples > 0 && track->n_samples >= n_all / 200);
}

static void write_visible(struct firefox *f)
{
    const struct tracks *t = &f->tracks;
    uint64_t n_all = 0;
    uint32_t n = 0;

    for (size_t i = 0; i < t->n; i++)
        n_all += t->tracks[i].n_samples;
    json_begin(&f->json, ",\n\"keepProfileThreadOrder\":true,"
                         "\"initialSelectedThreads\":[0],\"initialVisibleThreads\":[");
    for (uint32_t i = 0; i < t->n && n < VISIBLE_MAX; i++) {
        if (!is_worth_a_look(f, &t->tracks[i], n_all))
            continue;
        json_next(&f->json);
        json_u64(&f->json, i);
        n++;
    }
    json_raw(&f->json, t->n > 0 ? "]" : "0]");
}

/* The wall clock time of time 0, in milliseconds. The profile has that of its first
 * sample. */
static void write_start(struct firefox *f)
{
    const struct profile *p = f->profile;
    struct text *text = &f->json.text;
    uint64_t before = p->first_ns > f->start_ns ? p->first_ns - f->start_ns : 0;

    text_str(text, ",\"startTime\":");
    if (p->start_ns == 0)
        text_char(text, '0');
    else if (p->start_ns >= before)
        firefox_add_ms(text, p->start_ns - before);
    else {
        text_char(text, '-');
        firefox_add_ms(text, before - p->start_ns);
    }
}

/* The comments are where the viewer shows facts about the recording. */
static void write_comments(struct firefox *f)
{
    const struct profile *p = f->profile;

    json_begin(&f->json, ",\n\"extra\":[{\"label\":\"FXT\",\"entries\":[");
    for (size_t i = 0; i < p->n_comments; i++) {
        json_next(&f->json);
        text_printf(&f->json.text,
                    "\n{\"label\":\"Note %zu\",\"format\":\"string\","
                    "\"value\":",
                    i + 1);
        json_string(&f->json, string_from(p->comments[i].sentence));
        text_char(&f->json.text, '}');
    }
    json_raw(&f->json, "]}]");
}

static void write_product(struct firefox *f)
{
    struct text name = {NULL, 0, 0};

    if (f->tracks.n > 0)
        tracks_name_process(&f->tracks, &f->tracks.tracks[0], &name);
    else
        text_str(&name, "FXT");
    json_raw(&f->json, ",\"product\":");
    json_string(&f->json, (struct string){name.data, name.size});
    text_free(&name);
}

/* Perfetto takes a file that does not begin so for another format. */
static void write_meta(struct firefox *f)
{
    const struct profile *p = f->profile;

    json_raw(&f->json, "{\"meta\":{\"version\":24,\"preprocessedProfileVersion\":63,"
                       "\"interval\":");
    firefox_add_ms(&f->json.text, timeline_interval(p));
    write_start(f);
    write_product(f);
    json_raw(&f->json,
             ",\"importedFrom\":\"FXT, libfxt " FXT_VERSION_STRING "\","
             "\"processType\":0,\"stackwalk\":1,\"debug\":false,\"symbolicated\":true,"
             "\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true");
    if (p->period > 0)
        json_raw(&f->json, ",\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
                           "\"threadCPUDelta\":\"ns\"}");
    write_visible(f);
    write_comments(f);
    write_categories(f);
    firefox_write_schema(f);
    json_raw(&f->json, "}");
}

/* ---- All --------------------------------------------------------------------------- */

static void write_firefox(const struct profile *p, const struct output_settings *settings,
                          struct output *output)
{
    struct firefox f = {.profile = p, .settings = settings, .json = {.output = output}};

    tracks_make(&f.tracks, p);
    firefox_tables_make(&f.tables, p);
    firefox_sort_by_track(&f);
    write_meta(&f);
    firefox_write_libraries(&f);
    firefox_write_shared(&f);
    firefox_write_threads(&f);
    firefox_write_counters(&f);
    json_raw(&f.json, ",\n\"pages\":[],\"profilerOverhead\":[]}\n");
    output_text(output, &f.json.text);
}

const struct output_format output_firefox = {
    .description = "a timeline for Firefox Profiler, in JSON",
    .uses = FXT_PROFILE_USE_SPANS | FXT_PROFILE_USE_VALUE,
    .is_compressed = true,
    .is_timeline = true,
    .heap_refusal = "this format is a timeline of samples, and cannot represent heaps",
    .write = write_firefox,
};
