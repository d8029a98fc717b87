/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See leaks.h.
 *
 * The same program is at other addresses in each process: stacks are equal if their
 * functions and lines are.
 */
#include "leaks.h"

#include <string.h>

#include "common/base/glob.h"
#include "common/base/io/input.h"
#include "common/base/memory.h"
#include "common/base/sort.h"
#include "common/base/table.h"
#include "frames.h"

/* ---- Files of suppressions --------------------------------------------------------- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void add_pattern(struct suppressions *s, const char *line, size_t size)
{
    static const char contains[] = "leak:";
    const size_t prefix = sizeof(contains) - 1;
    struct text pattern = {NULL, 0, 0};

    if (size > prefix && memcmp(line, contains, prefix) == 0)
        text_printf(&pattern, "*%.*s*", (int)(size - prefix), line + prefix);
    else
        text_add(&pattern, line, size);
    text_char(&pattern, '\0');
    MEMORY_ADD(s->patterns, s->n, s->capacity, pattern.data);
}

static void take_line(struct suppressions *s, const char *line, size_t size)
{
    while (size > 0 && is_space(line[0])) {
        line++;
        size--;
    }
    while (size > 0 && is_space(line[size - 1]))
        size--;
    if (size > 0 && line[0] != '#')
        add_pattern(s, line, size);
}

static void take_lines(struct suppressions *s, const struct text *all)
{
    size_t at = 0;

    while (at < all->size) {
        const char *end = memchr(all->data + at, '\n', all->size - at);
        size_t size = end != NULL ? (size_t)(end - all->data) - at : all->size - at;

        take_line(s, all->data + at, size);
        at += size + 1;
    }
}

/* More is a mistake. */
enum { FILE_SIZE_MAX = 1 << 20 };

bool suppressions_read(struct suppressions *s, const char *name, struct text *why)
{
    struct input *input = input_open(name, why);
    struct text all = {NULL, 0, 0};
    const char *error;

    if (input == NULL)
        return false;
    while (all.size <= FILE_SIZE_MAX && input_want(input, 1)) {
        text_add(&all, input_data(input), input_size(input));
        input_consume(input, input_size(input));
    }
    error = input_error(input);
    if (error == NULL && all.size > FILE_SIZE_MAX)
        error = "larger than a megabyte";
    if (error == NULL && all.size > 0 && memchr(all.data, '\0', all.size) != NULL)
        error = "not a text file";
    if (error == NULL)
        take_lines(s, &all);
    else
        text_str(why, error);
    input_close(input);
    return error == NULL;
}

static bool suppressions_match(const struct suppressions *s, struct fxt_string name)
{
    for (size_t i = 0; i < s->n; i++) {
        if (glob_matches(s->patterns[i], name.data, name.size))
            return true;
    }
    return false;
}

/* ---- Suppressions ------------------------------------------------------------------ */

static bool is_suppressed(const struct fxt_profile *profile, size_t stack,
                          const struct suppressions *suppressions)
{
    struct frames frames = frames_of(profile, stack);
    struct fxt_profile_function function;
    struct fxt_profile_line line;

    while (frames_next(&frames, &line)) {
        fxt_profile_get_function(profile, line.function, &function);
        if (suppressions_match(suppressions, function.name) ||
            suppressions_match(suppressions, function.system_name))
            return true;
    }
    return false;
}

/* ---- Sums -------------------------------------------------------------------------- */

static struct leak *find_leak(struct leaks *l, struct table *table, size_t stack,
                              const struct suppressions *suppressions)
{
    uint64_t hash = frames_hash(l->archive.profile, stack);
    struct table_probe probe = table_probe(table, hash);
    uint32_t number;

    while (table_next(table, &probe, &number)) {
        if (frames_equal(l->archive.profile, l->all[number].stack, stack))
            return &l->all[number];
    }
    table_add(table, hash, l->n);
    MEMORY_ADD(l->all, l->n, l->capacity,
               (struct leak){.stack = stack,
                             .is_suppressed =
                                 is_suppressed(l->archive.profile, stack, suppressions)});
    return &l->all[l->n - 1];
}

static uint64_t add_number(uint64_t sum, uint64_t added)
{
    return added < UINT64_MAX - sum ? sum + added : UINT64_MAX;
}

static uint64_t add_value(uint64_t sum, int64_t value)
{
    return add_number(sum, value > 0 ? (uint64_t)value : 0);
}

static void add_to_range(struct leak_range *range,
                         const struct fxt_profile_sample *sample)
{
    range->objects = add_value(range->objects, sample->values[0]);
    range->bytes = add_value(range->bytes, sample->values[1]);
}

static size_t size_range(uint64_t size)
{
    return size > 0 ? 64 - (size_t)__builtin_clzll(size) : 0;
}

static size_t age_range(uint64_t age)
{
    uint64_t end = 1000000;
    size_t range = 0;

    for (; range + 1 < LEAK_AGES && age >= end; range++)
        end *= 10;
    return range;
}

static void note_age(struct leaks *l, struct leak *leak,
                     const struct fxt_profile_sample *sample)
{
    const struct leak_process *process =
        leak_archive_process(&l->archive, sample->process);
    uint64_t age;

    if (sample->time_ns == 0 || process == NULL || process->time_ns < sample->time_ns)
        return;
    age = process->time_ns - sample->time_ns;
    if (!leak->has_ages || age < leak->youngest_ns)
        leak->youngest_ns = age;
    if (!leak->has_ages || age > leak->oldest_ns)
        leak->oldest_ns = age;
    leak->has_ages = true;
    if (sample->block_address != 0 && !leak->is_suppressed)
        add_to_range(&l->by_age[age_range(age)], sample);
}

static void add_sample(struct leaks *l, struct leak *leak,
                       const struct fxt_profile_sample *sample)
{
    size_t n_types = fxt_profile_n_value_types(l->archive.profile);

    leak->objects = add_value(leak->objects, sample->values[0]);
    leak->bytes = add_value(leak->bytes, sample->values[1]);
    if (n_types > 3) {
        leak->alloc_objects = add_value(leak->alloc_objects, sample->values[2]);
        leak->alloc_bytes = add_value(leak->alloc_bytes, sample->values[3]);
    }
    if (n_types > 4)
        leak->temporary = add_value(leak->temporary, sample->values[4]);
    if (sample->values[0] <= 0)
        return;
    note_age(l, leak, sample);
    if (sample->block_address != 0 && !leak->is_suppressed)
        add_to_range(&l->by_size[size_range(sample->block_size)], sample);
}

SORT_ORDER(order_leaks, struct leak,
           BY_DESCENDING(bytes) || BY_DESCENDING(objects) || BY(stack));

SORT_ORDER(order_temporary, struct leak, BY_DESCENDING(temporary) || BY(stack));

static void copy_temporary(struct leaks *l)
{
    size_t capacity = 0;

    for (size_t i = 0; i < l->n; i++) {
        if (l->all[i].temporary == 0 || l->all[i].is_suppressed)
            continue;
        MEMORY_ADD(l->temporary, l->n_temporary, capacity, l->all[i]);
    }
    SORT(l->temporary, l->n_temporary, order_temporary);
}

static void add_history(struct leaks *l)
{
    struct leak_history *h = &l->history;
    uint64_t from_ns = UINT64_MAX;
    uint64_t until_ns = 0;

    h->has_counts = true;
    for (size_t i = 0; i < l->archive.n_processes; i++) {
        const struct leak_process *p = &l->archive.processes[i];

        from_ns = p->recorded_from_ns < from_ns ? p->recorded_from_ns : from_ns;
        until_ns = p->recorded_until_ns > until_ns ? p->recorded_until_ns : until_ns;
        h->has_counts &= p->has_counts;
        h->reallocs_in_place = add_number(h->reallocs_in_place, p->reallocs_in_place);
        h->reallocs_moved = add_number(h->reallocs_moved, p->reallocs_moved);
    }
    h->time_ns = from_ns > 0 && until_ns > from_ns ? until_ns - from_ns : 0;
    for (size_t i = 0; i < l->n; i++) {
        h->objects = add_number(h->objects, l->all[i].alloc_objects);
        h->bytes = add_number(h->bytes, l->all[i].alloc_bytes);
        h->temporary = add_number(h->temporary, l->all[i].temporary);
    }
}

static void add_up(struct leaks *l, const struct suppressions *suppressions)
{
    struct table table = {NULL, 0, 0};

    for (size_t i = 0; i < fxt_profile_n_samples(l->archive.profile); i++) {
        struct fxt_profile_sample sample;

        fxt_profile_get_sample(l->archive.profile, i, &sample);
        add_sample(l, find_leak(l, &table, sample.stack, suppressions), &sample);
    }
    add_history(l);
    copy_temporary(l);
    SORT(l->all, l->n, order_leaks);
    /* Stacks that have freed all. */
    while (l->n > 0 && l->all[l->n - 1].objects == 0)
        l->n--;
}

/* ---- The whole --------------------------------------------------------------------- */

bool leaks_read(struct leaks *l, const char *name,
                const struct suppressions *suppressions)
{
    if (!leak_archive_read(&l->archive, name))
        return false;
    add_up(l, suppressions);
    return true;
}
