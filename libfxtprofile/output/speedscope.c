/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile in the format of speedscope: JSON with a profile for each process and thread,
 * or other roots, in the order of time: of type "evented" for spans, and "sampled" for
 * all else. Stacks are root first, as indices into a list of all frames. The heaviest
 * profile is shown first.
 */
#include "speedscope.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/quote.h"
#include "common/base/sort.h"

#include <fxt/version.h>

uint64_t speedscope_weight(const struct speedscope *s, size_t part)
{
    const struct profile *p = s->fold.profile;

    return (uint64_t)
        p->values[(size_t)s->parts[part].sample * p->n_types + s->fold.value_type];
}

uint64_t speedscope_time(const struct speedscope *s, size_t part)
{
    const struct profile *p = s->fold.profile;

    return p->labels[p->samples[s->parts[part].sample].labels].time_ns;
}

/* ---- Frames ------------------------------------------------------------------------ */

/* What distinguishes a frame; it is a string of a table, as bytes. */
struct frame_key {
    uint32_t name;
    uint32_t file;
    uint32_t line;
};

/* The line is that of the code, where it is asked for and in the name, or else that at
 * which the function begins. */
static struct frame_key key_of(const struct speedscope *s, uint32_t line)
{
    const struct profile *p = s->fold.profile;
    const struct profile_function *function = &p->functions[p->lines[line].function];

    return (struct frame_key){s->fold.line_names[line], function->file,
                              s->fold.settings->wanted.lines ? p->lines[line].line
                                                             : function->start_line};
}

static void number_frames(struct speedscope *s)
{
    const struct profile *p = s->fold.profile;

    s->line_frames = memory_allocate(p->n_lines * sizeof(*s->line_frames));
    for (uint32_t i = 0; i < p->n_lines; i++) {
        struct frame_key key = key_of(s, i);

        s->line_frames[i] = string_table_add(&s->frames, (const char *)&key, sizeof(key));
    }
}

void speedscope_find_stack(struct speedscope *s, size_t part)
{
    const struct profile *p = s->fold.profile;
    const struct profile_stack *stack =
        &p->stacks[p->samples[s->parts[part].sample].stack];

    s->n_stack = 0;
    for (uint32_t i = stack->n; i > 0; i--) {
        const struct profile_location *location = &p->locations[stack->frames[i - 1]];

        s->stack = memory_make_room(s->stack, s->n_stack, location->n_lines,
                                    &s->stack_capacity, sizeof(*s->stack));
        for (uint32_t j = location->n_lines; j > 0; j--)
            s->stack[s->n_stack++] = s->line_frames[location->first_line + j - 1];
    }
}

/* ---- Profiles ---------------------------------------------------------------------- */

/* Adds the name of the profile that a sample is part of. */
static uint32_t group_of(struct speedscope *s, uint32_t sample)
{
    s->fold.n_frames = 0;
    fold_add_frames(&s->fold, sample);
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

SORT_ORDER(order_parts, struct speedscope_part,
           BY_ORDER(string_compare(a->group, b->group)) || BY(sample));

static void sort_parts(struct speedscope *s)
{
    const struct profile *p = s->fold.profile;
    uint32_t *groups = memory_allocate(p->n_samples * sizeof(*groups));

    s->parts = memory_allocate(p->n_samples * sizeof(*s->parts));
    for (uint32_t i = 0; i < p->n_samples; i++)
        groups[i] = group_of(s, i);
    for (uint32_t i = 0; i < p->n_samples; i++) {
        s->parts[s->n_parts] =
            (struct speedscope_part){string_table_get(&s->groups, groups[i]), i};
        s->n_parts += speedscope_weight(s, s->n_parts) > 0;
    }
    SORT(s->parts, s->n_parts, order_parts);
    memory_release(groups);
    s->text.size = 0;
}

/* How many samples from `first` on are of its profile. */
static size_t count_parts(const struct speedscope *s, size_t first)
{
    size_t n = 1;

    while (first + n < s->n_parts &&
           string_compare(s->parts[first].group, s->parts[first + n].group) == 0)
        n++;
    return n;
}

/* ---- Writing ----------------------------------------------------------------------- */

void speedscope_write_key(struct speedscope *s, const char *key)
{
    text_str(&s->text, key);
    output_text(s->output, &s->text);
}

static void write_frame(struct speedscope *s, uint32_t frame, uint32_t place)
{
    struct frame_key key;
    struct string name;
    struct string file;

    memcpy(&key, string_table_get(&s->frames, frame).data, sizeof(key));
    name = string_table_get(&s->fold.names, key.name);
    file = string_table_get(&s->fold.profile->files, key.file);
    s->places[frame] = place;
    text_str(&s->text, place > 0 ? ",\n{\"name\":" : "\n{\"name\":");
    quote_json_shown(&s->text, name.data, name.size);
    if (file.size > 0) {
        text_str(&s->text, ",\"file\":");
        quote_json_shown(&s->text, file.data, file.size);
    }
    if (file.size > 0 && key.line > 0)
        text_printf(&s->text, ",\"line\":%u", key.line);
    text_char(&s->text, '}');
    output_text(s->output, &s->text);
}

/* The list of frames, in the order of their first occurrence. */
static void write_frames(struct speedscope *s)
{
    uint32_t n_places = 0;

    s->places = memory_allocate(s->frames.n * sizeof(*s->places));
    memset(s->places, 0xff, s->frames.n * sizeof(*s->places));
    for (size_t i = 0; i < s->n_parts; i++) {
        speedscope_find_stack(s, i);
        for (size_t j = 0; j < s->n_stack; j++) {
            if (s->places[s->stack[j]] == UINT32_MAX)
                write_frame(s, s->stack[j], n_places++);
        }
    }
}

/* All profiles have one axis of time. */
static void find_times(struct speedscope *s)
{
    s->first_ns = UINT64_MAX;
    for (size_t i = 0; i < s->n_parts; i++) {
        uint64_t from = speedscope_time(s, i);
        uint64_t to = from + speedscope_weight(s, i);

        s->first_ns = from < s->first_ns ? from : s->first_ns;
        s->last_ns = to > s->last_ns ? to : s->last_ns;
    }
}

static uint64_t sum_weights(const struct speedscope *s, size_t first, size_t n)
{
    uint64_t sum = 0;

    for (size_t i = first; i < first + n; i++) {
        uint64_t weight = speedscope_weight(s, i);

        sum = sum > UINT64_MAX - weight ? UINT64_MAX : sum + weight;
    }
    return sum;
}

/* Returns the number of the heaviest one. */
static uint64_t write_profiles(struct speedscope *s)
{
    uint64_t n_profiles = 0;
    uint64_t heaviest = 0;
    uint64_t most = 0;
    size_t n;

    for (size_t first = 0; first < s->n_parts && !output_failed(s->output); first += n) {
        uint64_t weight;

        n = count_parts(s, first);
        weight = sum_weights(s, first, n);
        if (weight > most) {
            most = weight;
            heaviest = n_profiles;
        }
        speedscope_write_profile(s, first, n);
        n_profiles++;
    }
    return heaviest;
}

static void write_document(struct speedscope *s)
{
    struct string command = s->fold.settings->command;
    uint64_t heaviest;

    speedscope_write_key(
        s, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
           "\"exporter\":\"libfxt@" FXT_VERSION_STRING "\",\n"
           "\"shared\":{\"frames\":[");
    write_frames(s);
    speedscope_write_key(s, "]},\n\"profiles\":[");
    heaviest = write_profiles(s);
    text_char(&s->text, ']');
    if (s->n_parts > 0)
        text_printf(&s->text, ",\n\"activeProfileIndex\":%" PRIu64, heaviest);
    if (command.size > 0) {
        text_str(&s->text, ",\n\"name\":");
        quote_json_shown(&s->text, command.data, command.size);
    }
    speedscope_write_key(s, "}\n");
}

static void write_speedscope(const struct profile *p,
                             const struct output_settings *settings,
                             struct output *output)
{
    struct speedscope s = {.output = output};

    fold_start(&s.fold, p, settings, true);
    number_frames(&s);
    sort_parts(&s);
    find_times(&s);
    write_document(&s);
}

const struct output_format output_speedscope = {
    .description = "JSON for speedscope.app, with a profile of each thread",
    .uses = FXT_PROFILE_USE_SPANS | FXT_PROFILE_USE_ANNOTATE | FXT_PROFILE_USE_LINES |
            FXT_PROFILE_USE_VALUE,
    .keeps_times = true,
    .needs_roots = true,
    .write = write_speedscope,
};
