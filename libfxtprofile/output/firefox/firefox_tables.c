/* SPDX-License-Identifier: BSD-2-Clause */
/* See firefox_tables.h. */
#include "firefox_tables.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/table_items.h"

static uint32_t *make_map(size_t n)
{
    uint32_t *map = (uint32_t *)memory_reserve(n * sizeof(*map));

    memset(map, 0xff, n * sizeof(*map));
    return map;
}

/* ---- Libraries --------------------------------------------------------------------- */

static uint32_t find_library(struct firefox_tables *t, struct firefox_library library)
{
    return TABLE_PUT(&t->library_table, t->libraries, t->n_libraries, t->library_capacity,
                     &library, file, build_id);
}

/* What a JIT compiler made is in no library. */
static void make_libraries(struct firefox_tables *t)
{
    const struct profile *p = t->profile;

    t->mapping_libraries = make_map(p->n_mappings);
    for (size_t i = 0; i < p->n_mappings; i++) {
        const struct profile_mapping *mapping = &p->mappings[i];

        if (!mapping->is_jit && string_table_get(&p->files, mapping->file).size > 0)
            t->mapping_libraries[i] = find_library(
                t, (struct firefox_library){mapping->file, mapping->build_id});
    }
}

/* ---- Functions and sources --------------------------------------------------------- */

static uint32_t find_function(struct firefox_tables *t, struct firefox_function function)
{
    return TABLE_PUT(&t->function_table, t->functions, t->n_functions,
                     t->function_capacity, &function, function, library);
}

static void make_frames(struct firefox_tables *t)
{
    const struct profile *p = t->profile;

    t->frame_locations = make_map(p->n_lines);
    t->frame_functions = make_map(p->n_lines);
    for (uint32_t i = 0; i < p->n_locations; i++) {
        const struct profile_location *location = &p->locations[i];
        uint32_t library = location->mapping != PROFILE_NO_MAPPING
                               ? t->mapping_libraries[location->mapping]
                               : FIREFOX_NONE;

        for (uint32_t j = 0; j < location->n_lines; j++) {
            uint32_t line = location->first_line + j;

            t->frame_locations[line] = i;
            t->frame_functions[line] = find_function(
                t, (struct firefox_function){p->lines[line].function, library});
        }
    }
}

static void make_sources(struct firefox_tables *t)
{
    const struct profile *p = t->profile;

    t->file_sources = make_map(p->files.n);
    t->sources = (uint32_t *)memory_reserve(p->files.n * sizeof(*t->sources));
    for (size_t i = 0; i < t->n_functions; i++) {
        uint32_t file = p->functions[t->functions[i].function].file;

        if (string_table_get(&p->files, file).size == 0 ||
            t->file_sources[file] != FIREFOX_NONE)
            continue;
        t->file_sources[file] = (uint32_t)t->n_sources;
        t->sources[t->n_sources++] = file;
    }
}

/* ---- Flows ------------------------------------------------------------------------- */

uint32_t firefox_find_flow(struct firefox_tables *t, const struct profile_event *event)
{
    struct async_group flow =
        async_group_of_flow(event->id, event->name, event->category);

    return async_groups_find(&t->flows, &flow);
}

static void make_flows(struct firefox_tables *t)
{
    const struct profile_events *events = &t->profile->events;

    for (size_t i = 0; i < events->n; i++) {
        if (profile_event_is_of_flow(&events->events[i]))
            firefox_find_flow(t, &events->events[i]);
    }
}

/* ---- All --------------------------------------------------------------------------- */

void firefox_tables_make(struct firefox_tables *t, const struct profile *p)
{
    *t = (struct firefox_tables){.profile = p};
    t->leaves = stack_tree_add(&t->stacks, p, NULL);
    make_libraries(t);
    make_frames(t);
    make_sources(t);
    make_flows(t);
}
