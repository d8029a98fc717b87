/* SPDX-License-Identifier: BSD-2-Clause */
/* See outputs.h: what all formats have in common. */
#include "outputs.h"

#include <string.h>

#include "common/base/memory.h"

/* Captures of stacks have no processes, and other programs that read them expect no
 * roots; a format that requires roots gets CPUs. speedscope is used with one profile for
 * each thread; and of a thread is what it waits for. */
static void choose_roots(struct output_settings *settings, const struct profile *profile,
                         const struct output_format *format)
{
    if (settings->has_roots)
        return;
    settings->n_roots = 0;
    if (profile->is_of_captures && format->needs_roots)
        settings->roots[settings->n_roots++] = FXT_PROFILE_ROOT_CPU;
    if (!profile->is_of_captures)
        settings->roots[settings->n_roots++] = FXT_PROFILE_ROOT_PROCESS;
    if (!profile->is_of_captures &&
        (format->needs_roots || (profile->is_of_waits && !profile->is_of_wakeups)))
        settings->roots[settings->n_roots++] = FXT_PROFILE_ROOT_THREAD;
}

/* The value of a sample of this event may be rounded to 0. */
static bool has_type(const struct profile *p, size_t sample, uint32_t type)
{
    uint32_t event = p->labels[p->samples[sample].labels].event;

    return event > 0 && type > 0 ? event == type
                                 : p->values[sample * p->n_types + type] != 0;
}

/* Of several events, a timeline shows one: in `part` the samples of others count 0, and
 * have no moments. */
static void choose_moments(const struct profile *profile,
                           const struct output_settings *settings, struct profile *part)
{
    uint32_t type = output_value_type(profile, settings);
    size_t n_types = profile->n_types;
    struct profile_moment *moments =
        (struct profile_moment *)memory_reserve(profile->n_moments * sizeof(*moments));
    int64_t *values = memory_allocate(profile->n_samples * n_types * sizeof(*values));

    *part = *profile;
    part->moments = moments;
    part->n_moments = 0;
    part->values = values;
    for (size_t i = 0; i < profile->n_samples; i++) {
        if (has_type(profile, i, type))
            memcpy(values + i * n_types, profile->values + i * n_types,
                   n_types * sizeof(*values));
    }
    for (size_t i = 0; i < profile->n_moments; i++) {
        if (profile_has_values(part, profile->moments[i].sample))
            moments[part->n_moments++] = profile->moments[i];
    }
}

void output_write_profile(const struct profile *profile,
                          const struct output_format *format,
                          const struct output_settings *settings, struct output *output)
{
    struct output_settings chosen = *settings;
    struct profile part;
    bool is_part = format->is_timeline && profile->has_events;

    if (is_part)
        choose_moments(profile, settings, &part);
    choose_roots(&chosen, profile, format);
    if (format->is_compressed && !settings->wanted.no_gzip)
        output_compress(output);
    format->write(is_part ? &part : profile, &chosen, output);
}

#define ENTRY(number, name, converter, suffixes, content)                                \
    [number] = {#name, suffixes, content, &output_##name},

const struct output_entry *output_entry(enum fxt_profile_format number)
{
    static const struct output_entry entries[] = {OUTPUT_FORMATS(ENTRY)};

    if ((unsigned)number >= sizeof(entries) / sizeof(entries[0]))
        return NULL;
    return entries[number].name != NULL ? &entries[number] : NULL;
}

const struct output_format *output_format_of(enum fxt_profile_format number)
{
    const struct output_entry *entry = output_entry(number);

    return entry != NULL ? entry->format : NULL;
}
