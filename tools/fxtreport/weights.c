/* SPDX-License-Identifier: BSD-2-Clause */
/* See weights.h. */
#include "weights.h"

#include <string.h>

#include "common/base/memory.h"

static bool is_value(const struct fxt_profile *profile, size_t i, const char *name,
                     const char *unit)
{
    struct fxt_profile_value_type type;

    fxt_profile_get_value_type(profile, i, &type);
    return (name == NULL || strcmp(type.type, name) == 0) &&
           (unit == NULL || strcmp(type.unit, unit) == 0);
}

/* Returns 0 if there is none. */
static size_t find_value(const struct fxt_profile *profile, const char *name,
                         const char *unit)
{
    size_t n = fxt_profile_n_value_types(profile);
    size_t i = 0;

    while (i < n && !is_value(profile, i, name, unit))
        i++;
    return i < n ? i : 0;
}

size_t weights_choose(const struct fxt_profile *profile,
                      const struct fxt_profile_output *output)
{
    if (output->value_name != NULL)
        return find_value(profile, output->value_name, NULL);
    switch (output->value) {
    case FXT_PROFILE_VALUE_COUNT:
    case FXT_PROFILE_VALUE_OBJECTS:
        return 0;
    case FXT_PROFILE_VALUE_TIME:
        return find_value(profile, NULL, "nanoseconds");
    case FXT_PROFILE_VALUE_DEFAULT:
    case FXT_PROFILE_VALUE_BYTES:
        break;
    }
    return fxt_profile_n_value_types(profile) < 2 ? 0 : 1;
}

static bool is_same_name(struct fxt_string a, struct fxt_string b)
{
    return a.size == b.size &&
           (a.data == b.data || a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static bool has_labels(const struct weight_labels *labels,
                       const struct fxt_profile_sample *s)
{
    return labels->thread == s->thread && labels->process == s->process &&
           labels->boot == s->boot && labels->cpu == s->cpu &&
           is_same_name(labels->thread_name, s->thread_name) &&
           is_same_name(labels->process_name, s->process_name);
}

/* Equal names of one object are mostly the same bytes in memory, so that their addresses
 * tell names apart. Equal ones at different addresses are two entries. */
static uint64_t hash_labels(const struct fxt_profile_sample *s)
{
    uint64_t hash = hash_word(hash_start(), s->thread);

    hash = hash_word(hash, s->process);
    hash = hash_word(hash, (uint64_t)s->boot << 32 | s->cpu);
    hash = hash_word(hash, (uint64_t)(uintptr_t)s->thread_name.data);
    return hash_word(hash, (uint64_t)(uintptr_t)s->process_name.data);
}

static struct weight_labels *find_labels(struct weights *w,
                                         const struct fxt_profile_sample *s)
{
    uint64_t hash = hash_labels(s);
    struct table_probe probe = table_probe(&w->label_table, hash);
    uint32_t number;

    while (table_next(&w->label_table, &probe, &number)) {
        if (has_labels(&w->labels[number], s))
            return &w->labels[number];
    }
    table_add(&w->label_table, hash, w->n_labels);
    MEMORY_ADD(w->labels, w->n_labels, w->label_capacity,
               (struct weight_labels){.process = s->process,
                                      .thread = s->thread,
                                      .boot = s->boot,
                                      .cpu = s->cpu,
                                      .process_name = s->process_name,
                                      .thread_name = s->thread_name});
    return &w->labels[w->n_labels - 1];
}

/* Whether it is of the event whose values are added up, be its own rounded to 0. */
static bool is_counted(const struct weights *w, const struct fxt_profile_sample *sample)
{
    if (!w->is_of_samples)
        return true;
    if (sample->event_type > 0 && w->value > 0)
        return sample->event_type == w->value;
    return sample->values[w->value] != 0;
}

static void add_samples(struct weights *w)
{
    size_t n = fxt_profile_n_samples(w->profile);
    struct fxt_profile_sample sample;

    for (size_t i = 0; i < n; i++) {
        struct weight weight;

        fxt_profile_get_sample(w->profile, i, &sample);
        if (!is_counted(w, &sample))
            continue;
        weight = (struct weight){sample.values[w->value], (uint64_t)sample.values[0]};
        weight_add(&w->stacks[sample.stack], weight);
        weight_add(&find_labels(w, &sample)->weight, weight);
        weight_add(&w->total, weight);
    }
}

void weights_make(struct weights *w, const struct fxt_profile *profile, size_t value)
{
    *w = (struct weights){.profile = profile, .value = value};
    w->is_of_samples = fxt_profile_kind(profile) == FXT_PROFILE_KIND_SAMPLES;
    fxt_profile_get_value_type(profile, value, &w->type);
    w->stacks = memory_allocate(fxt_profile_n_stacks(profile) * sizeof(*w->stacks));
    add_samples(w);
}
