/* SPDX-License-Identifier: BSD-2-Clause */
/* See missing_files.h. */
#include "missing_files.h"

#include "common/base/memory.h"
#include "common/base/sort.h"

/* Numbers of files here, plus one; 0 is none. */
struct search {
    struct missing_files *missing;
    const struct profile *profile;
    uint32_t *of_mappings;
    uint32_t *of_places;
    /* The last stack that was counted for each file. */
    size_t *last_stack;
};

/* The place of a mapping's name, or else its build id, among all strings. */
static size_t place_of(const struct profile *p, const struct profile_mapping *mapping)
{
    if (string_table_get(&p->files, mapping->file).size > 0)
        return mapping->file;
    return p->files.n + mapping->build_id;
}

static struct string name_at(const struct profile *p, size_t place)
{
    if (place < p->files.n)
        return string_table_get(&p->files, (uint32_t)place);
    return string_table_get(&p->build_ids, (uint32_t)(place - p->files.n));
}

/* Files of one name are one in the list, whatever their build ids. */
static uint32_t add_file(const struct search *s, const struct profile_mapping *mapping)
{
    size_t place = place_of(s->profile, mapping);
    struct string build_id = string_table_get(&s->profile->build_ids, mapping->build_id);
    struct missing_files *missing = s->missing;
    struct missing_file *file;

    if (s->of_places[place] > 0) {
        file = &missing->all[s->of_places[place] - 1];
        if (string_compare(file->build_id, build_id) != 0)
            file->build_id.size = 0;
        file->is_stripped &= mapping->is_stripped;
        return s->of_places[place];
    }
    MEMORY_ADD(missing->all, missing->n, missing->capacity,
               (struct missing_file){name_at(s->profile, place), build_id,
                                     mapping->is_stripped, 0});
    return s->of_places[place] = (uint32_t)missing->n;
}

/* The missing file that a location without a name is in. */
static uint32_t file_of(const struct search *s, uint32_t location)
{
    const struct profile_location *l = &s->profile->locations[location];

    if (l->symbolized || l->is_end || l->mapping == PROFILE_NO_MAPPING)
        return 0;
    return s->of_mappings[l->mapping];
}

static void find_files(const struct search *s)
{
    const struct profile *p = s->profile;

    for (size_t i = 0; i < p->n_locations; i++) {
        const struct profile_location *l = &p->locations[i];
        const struct profile_mapping *mapping;

        if (l->symbolized || l->is_end || l->mapping == PROFILE_NO_MAPPING)
            continue;
        mapping = &p->mappings[l->mapping];
        if ((mapping->is_missing || mapping->is_stripped) &&
            name_at(p, place_of(p, mapping)).size > 0)
            s->of_mappings[l->mapping] = add_file(s, mapping);
    }
}

static void count_stack(const struct search *s, size_t stack, uint64_t n_samples)
{
    const struct profile_stack *frames = &s->profile->stacks[stack];

    for (uint32_t i = 0; i < frames->n; i++) {
        uint32_t file = file_of(s, frames->frames[i]);

        if (file == 0 || s->last_stack[file - 1] == stack + 1)
            continue;
        s->last_stack[file - 1] = stack + 1;
        s->missing->all[file - 1].n_samples += n_samples;
    }
}

static void count_samples(const struct search *s)
{
    const struct profile *p = s->profile;
    uint64_t *counts = (uint64_t *)memory_allocate(p->n_stacks * sizeof(*counts));

    for (size_t i = 0; i < p->n_samples; i++)
        counts[p->samples[i].stack] += profile_count(p, i);
    for (size_t i = 0; i < p->n_stacks; i++) {
        if (counts[i] > 0)
            count_stack(s, i, counts[i]);
    }
    memory_release(counts);
}

SORT_ORDER(order_files, struct missing_file,
           BY_DESCENDING(n_samples) || BY_ORDER(string_compare(a->name, b->name)));

/* Of what was filtered out no sample is left. */
static void drop_unused(struct missing_files *missing)
{
    while (missing->n > 0 && missing->all[missing->n - 1].n_samples == 0)
        missing->n--;
}

void missing_files_find(struct missing_files *missing, const struct profile *p)
{
    struct search s = {.missing = missing, .profile = p};

    if (profile_is_of_names(p) || p->n_mappings == 0)
        return;
    s.of_mappings = (uint32_t *)memory_allocate(p->n_mappings * sizeof(*s.of_mappings));
    s.of_places =
        (uint32_t *)memory_allocate((p->files.n + p->build_ids.n) * sizeof(*s.of_places));
    find_files(&s);
    memory_release(s.of_places);
    if (missing->n > 0) {
        s.last_stack = (size_t *)memory_allocate(missing->n * sizeof(*s.last_stack));
        count_samples(&s);
        memory_release(s.last_stack);
        SORT(missing->all, missing->n, order_files);
        drop_unused(missing);
    }
    memory_release(s.of_mappings);
}

void missing_files_free(struct missing_files *missing)
{
    memory_release(missing->all);
    *missing = (struct missing_files){.n = 0};
}
