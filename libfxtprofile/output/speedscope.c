/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile in the format of speedscope: JSON with one profile of type "sampled" for each
 * process and thread, or other roots, with its samples in the order of time. Stacks are
 * root first, as indices into a list of all frames.
 */
#include <stdlib.h>
#include <string.h>

#include "fold.h"
#include "base/quote.h"

#include <fxt/version.h>

/* A sample and the profile that it is part of. */
struct part {
    struct string group;
    uint32_t sample;
};

struct scope {
    struct fold fold;
    struct output *output;
    /* The profiles' names, and the samples, those of each profile together. */
    struct string_table groups;
    struct part *parts;
    size_t n_parts;
    /* The list of frames: the place of each of the fold's names in it. */
    uint32_t *places;
    struct text text;
};

static uint64_t weight_of(const struct scope *s, const struct part *part)
{
    const struct profile *p = s->fold.profile;

    return (uint64_t)p->values[(size_t)part->sample * p->n_types + s->fold.value_type];
}

/* The frames of a sample, valid until the next call; the first ones are the profile's
 * name. */
static const uint32_t *frames_of(struct scope *s, uint32_t sample, uint32_t *n)
{
    uint32_t n_roots = (uint32_t)s->fold.settings->n_roots;

    s->fold.n_frames = 0;
    *n = fold_add_frames(&s->fold, sample) - n_roots;
    return s->fold.frames + n_roots;
}

/* ---- Profiles ---------------------------------------------------------------------- */

/* Adds the name of the profile that a sample is part of. */
static uint32_t group_of(struct scope *s, uint32_t sample)
{
    uint32_t n;

    frames_of(s, sample, &n);
    s->text.size = 0;
    for (size_t i = 0; i < s->fold.settings->n_roots; i++) {
        struct string root = string_table_get(&s->fold.names, s->fold.frames[i]);

        if (i > 0)
            text_char(&s->text, ' ');
        text_add(&s->text, root.data, root.size);
    }
    if (s->fold.settings->n_roots == 0)
        text_str(&s->text, "all");
    return string_table_add(&s->groups, s->text.data, s->text.size);
}

static int order_parts(const void *left, const void *right)
{
    const struct part *a = (const struct part *)left;
    const struct part *b = (const struct part *)right;
    int order = string_compare(a->group, b->group);

    return order != 0 ? order : (a->sample > b->sample) - (a->sample < b->sample);
}

static void sort_parts(struct scope *s)
{
    const struct profile *p = s->fold.profile;
    uint32_t *groups = (uint32_t *)memory_allocate(p->n_samples * sizeof(*groups));

    s->parts = (struct part *)memory_allocate(p->n_samples * sizeof(*s->parts));
    for (uint32_t i = 0; i < p->n_samples; i++)
        groups[i] = group_of(s, i);
    for (uint32_t i = 0; i < p->n_samples; i++) {
        s->parts[s->n_parts] = (struct part){string_table_get(&s->groups, groups[i]), i};
        s->n_parts += weight_of(s, &s->parts[s->n_parts]) > 0;
    }
    qsort(s->parts, s->n_parts, sizeof(*s->parts), order_parts);
    memory_release(groups);
    s->text.size = 0;
}

/* How many samples from `first` on are of its profile. */
static size_t count_parts(const struct scope *s, size_t first)
{
    size_t n = 1;

    while (first + n < s->n_parts &&
           string_compare(s->parts[first].group, s->parts[first + n].group) == 0)
        n++;
    return n;
}

/* ---- Writing ----------------------------------------------------------------------- */

static void write_key(struct scope *s, const char *key)
{
    text_str(&s->text, key);
    output_text(s->output, &s->text);
}

static void write_frame(struct scope *s, uint32_t name, uint32_t place)
{
    struct string string = string_table_get(&s->fold.names, name);

    s->places[name] = place;
    text_str(&s->text, place > 0 ? ",\n{\"name\":" : "\n{\"name\":");
    quote_json_shown(&s->text, string.data, string.size);
    text_char(&s->text, '}');
    output_text(s->output, &s->text);
}

/* The list of frames, in the order of their first occurrence. */
static void write_frames(struct scope *s)
{
    uint32_t n_places = 0;

    s->places = (uint32_t *)memory_allocate(s->fold.names.n * sizeof(*s->places));
    memset(s->places, 0xff, s->fold.names.n * sizeof(*s->places));
    for (size_t i = 0; i < s->n_parts; i++) {
        uint32_t n;
        const uint32_t *frames = frames_of(s, s->parts[i].sample, &n);

        for (uint32_t j = 0; j < n; j++) {
            if (s->places[frames[j]] == UINT32_MAX)
                write_frame(s, frames[j], n_places++);
        }
    }
}

static void write_stack(struct scope *s, const struct part *part, bool is_first)
{
    uint32_t n;
    const uint32_t *frames = frames_of(s, part->sample, &n);

    text_str(&s->text, is_first ? "\n[" : ",\n[");
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0)
            text_char(&s->text, ',');
        text_u64(&s->text, s->places[frames[i]]);
    }
    text_char(&s->text, ']');
    output_text(s->output, &s->text);
}

/* The units of speedscope's format. */
static const char *unit_name(const char *unit)
{
    if (strcmp(unit, "nanoseconds") == 0)
        return "\"nanoseconds\"";
    return strcmp(unit, "bytes") == 0 ? "\"bytes\"" : "\"none\"";
}

static void write_profile(struct scope *s, size_t first, size_t n)
{
    const struct profile *p = s->fold.profile;
    const char *unit = p->types[s->fold.value_type].unit;
    uint64_t total = 0;

    text_str(&s->text, first > 0 ? ",\n" : "\n");
    text_str(&s->text, "{\"type\":\"sampled\",\"name\":");
    quote_json_shown(&s->text, s->parts[first].group.data, s->parts[first].group.size);
    text_str(&s->text, ",\"unit\":");
    text_str(&s->text, unit_name(unit));
    write_key(s, ",\n\"samples\":[");
    for (size_t i = 0; i < n; i++)
        write_stack(s, &s->parts[first + i], i == 0);
    write_key(s, "],\n\"weights\":[");
    for (size_t i = 0; i < n; i++) {
        uint64_t weight = weight_of(s, &s->parts[first + i]);

        total = total > UINT64_MAX - weight ? UINT64_MAX : total + weight;
        text_str(&s->text, i > 0 ? "," : "");
        text_u64(&s->text, weight);
        output_text(s->output, &s->text);
    }
    text_str(&s->text, "],\n\"startValue\":0,\"endValue\":");
    text_u64(&s->text, total);
    write_key(s, "}");
}

static void write_speedscope(const struct profile *p,
                             const struct output_settings *settings,
                             struct output *output)
{
    struct scope s = {.output = output};
    size_t n;

    fold_start(&s.fold, p, settings, true);
    sort_parts(&s);
    write_key(&s, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
                  "\"exporter\":\"libfxt@" FXT_VERSION_STRING "\",\n"
                  "\"shared\":{\"frames\":[");
    write_frames(&s);
    write_key(&s, "]},\n\"profiles\":[");
    for (size_t first = 0; first < s.n_parts && !output_failed(output); first += n) {
        n = count_parts(&s, first);
        write_profile(&s, first, n);
    }
    write_key(&s, "]}\n");
    fold_free(&s.fold);
    string_table_free(&s.groups);
    text_free(&s.text);
    memory_release(s.parts);
    memory_release(s.places);
}

const struct output_format output_speedscope = {
    .name = "speedscope",
    .suffix = ".speedscope.json",
    .is_binary = false,
    .is_compressed = false,
    .keeps_times = true,
    .needs_roots = true,
    .write = write_speedscope,
};
