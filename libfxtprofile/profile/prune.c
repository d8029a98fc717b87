/* SPDX-License-Identifier: BSD-2-Clause */
/* See prune.h. */
#include "prune.h"

#include <string.h>

#include "locate_mapping.h"
#include "locate_order.h"
#include "common/base/sort.h"

/* ---- What is used ------------------------------------------------------------------ */

/* Makes of a table that has something other than 0 for what is used a table of new
 * numbers; what is not used has none. Returns how many are used. */
static uint32_t number_used(uint32_t *table, size_t n)
{
    uint32_t used = 0;

    for (size_t i = 0; i < n; i++) {
        if (table[i] != 0)
            table[i] = used++;
        else
            table[i] = UINT32_MAX;
    }
    return used;
}

static uint32_t *make_table(size_t n)
{
    return (uint32_t *)memory_allocate(n * sizeof(uint32_t));
}

static const struct profile_stack *stack_of(const struct profile *p, size_t sample)
{
    return &p->stacks[p->samples[sample].stack];
}

static void prune_locations(struct profile *p)
{
    uint32_t *numbers = make_table(p->n_locations);
    bool *is_done = (bool *)memory_allocate(p->n_stacks * sizeof(*is_done));
    uint32_t used;

    for (size_t i = 0; i < p->n_samples; i++) {
        const struct profile_stack *stack = stack_of(p, i);

        for (uint32_t j = 0; j < stack->n; j++)
            numbers[stack->frames[j]] = 1;
    }
    used = number_used(numbers, p->n_locations);
    for (size_t i = 0; i < p->n_samples; i++) {
        const struct profile_stack *stack = stack_of(p, i);

        for (uint32_t j = 0; j < stack->n && !is_done[p->samples[i].stack]; j++)
            stack->frames[j] = numbers[stack->frames[j]];
        is_done[p->samples[i].stack] = true;
    }
    for (size_t i = 0; i < p->n_locations; i++) {
        if (numbers[i] != UINT32_MAX)
            p->locations[numbers[i]] = p->locations[i];
    }
    p->n_locations = used;
    memory_release(numbers);
    memory_release(is_done);
}

static void prune_mappings(struct profile_builder *b)
{
    struct profile *p = &b->profile;
    uint32_t *numbers = make_table(p->n_mappings);
    uint32_t used;

    for (size_t i = 0; i < p->n_locations; i++) {
        if (p->locations[i].mapping != PROFILE_NO_MAPPING)
            numbers[p->locations[i].mapping] = 1;
    }
    if (b->main_mapping != PROFILE_NO_MAPPING)
        numbers[b->main_mapping] = 1;
    used = number_used(numbers, p->n_mappings);
    for (size_t i = 0; i < p->n_mappings; i++) {
        if (numbers[i] != UINT32_MAX)
            p->mappings[numbers[i]] = p->mappings[i];
    }
    for (size_t i = 0; i < p->n_locations; i++) {
        if (p->locations[i].mapping != PROFILE_NO_MAPPING)
            p->locations[i].mapping = numbers[p->locations[i].mapping];
    }
    if (b->main_mapping != PROFILE_NO_MAPPING)
        b->main_mapping = numbers[b->main_mapping];
    p->n_mappings = used;
    memory_release(numbers);
}

static void prune_functions(struct profile *p)
{
    uint32_t *numbers = make_table(p->n_functions);
    uint32_t used;

    for (size_t i = 0; i < p->n_lines; i++)
        numbers[p->lines[i].function] = 1;
    used = number_used(numbers, p->n_functions);
    for (size_t i = 0; i < p->n_functions; i++) {
        if (numbers[i] != UINT32_MAX)
            p->functions[numbers[i]] = p->functions[i];
    }
    for (size_t i = 0; i < p->n_lines; i++)
        p->lines[i].function = numbers[p->lines[i].function];
    p->n_functions = used;
    memory_release(numbers);
}

void profile_prune(struct profile_builder *b)
{
    prune_locations(&b->profile);
    profile_order_lines(b);
    prune_functions(&b->profile);
    prune_mappings(b);
    profile_flag_mappings(b);
    profile_builder_count_frames(b);
}

/* ---- What is equal ----------------------------------------------------------------- */

/* A sample and what it is sorted by: its labels, its locations in their order, and how
 * its stack ended. */
struct row {
    const struct profile_labels *labels;
    const uint32_t *places;
    const uint32_t *frames;
    uint32_t n;
    uint32_t end;
    uint32_t sample;
};

static int order_rows(const void *left, const void *right)
{
    const struct row *a = (const struct row *)left;
    const struct row *b = (const struct row *)right;
    int order =
        a->labels != b->labels ? profile_builder_order_labels(a->labels, b->labels) : 0;

    if (order != 0)
        return order;
    for (uint32_t i = 0; i < a->n && i < b->n; i++) {
        if (a->frames[i] != b->frames[i])
            return order_numbers(a->places[a->frames[i]], b->places[b->frames[i]]);
    }
    return order_pairs(a->n, b->n, a->end, b->end);
}

/* The place of each location in their order, for the caller to free. */
static uint32_t *place_locations(const struct profile *p)
{
    uint32_t *places = make_table(p->n_locations);
    uint32_t *numbers = profile_sort_locations(p);

    for (uint32_t i = 0; i < p->n_locations; i++)
        places[numbers[i]] = i;
    memory_release(numbers);
    return places;
}

void profile_merge_samples(struct profile_builder *b)
{
    struct profile *p = &b->profile;
    uint32_t *places = place_locations(p);
    struct row *rows = (struct row *)memory_allocate(p->n_samples * sizeof(*rows));
    struct profile_sample *samples =
        (struct profile_sample *)memory_allocate(p->n_samples * sizeof(*samples));
    int64_t *values =
        (int64_t *)memory_allocate(p->n_samples * p->n_types * sizeof(*values));
    size_t n = 0;

    for (size_t i = 0; i < p->n_samples; i++) {
        const struct profile_stack *stack = stack_of(p, i);

        rows[i] = (struct row){&p->labels[p->samples[i].labels],
                               places,
                               stack->frames,
                               stack->n,
                               stack->end,
                               (uint32_t)i};
    }
    SORT(rows, p->n_samples, order_rows);
    for (size_t i = 0; i < p->n_samples; i++) {
        const int64_t *from = p->values + (size_t)rows[i].sample * p->n_types;

        if (i == 0 || order_rows(&rows[i - 1], &rows[i]) != 0)
            samples[n++] = p->samples[rows[i].sample];
        moments_note(&b->moments, p->n_samples, rows[i].sample, n - 1);
        for (uint32_t t = 0; t < p->n_types; t++)
            values[(n - 1) * p->n_types + t] =
                profile_add_up(values[(n - 1) * p->n_types + t], from[t]);
    }
    memory_release(rows);
    memory_release(places);
    memory_release(p->samples);
    memory_release(p->values);
    p->samples = samples;
    p->values = values;
    profile_builder_keep_first(b, n);
    /* In a difference, merged samples may have cancelled each other out. */
    if (profile_builder_drop_empty(b))
        profile_prune(b);
}
