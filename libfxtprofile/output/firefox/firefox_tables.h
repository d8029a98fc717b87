/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables that all threads of a Firefox profile share: stacks as a tree, frames,
 * functions, libraries, source files and strings.
 *
 * A frame is a line of the profile, with the same number. Functions are those of the
 * profile, but one that is in several libraries is several.
 */
#ifndef FXTPROFILE_OUTPUT_FIREFOX_TABLES_H
#define FXTPROFILE_OUTPUT_FIREFOX_TABLES_H

#include <stdint.h>

#include "common/base/table.h"
#include "common/spans/span_keys.h"
#include "libfxtprofile/output/timeline/stack_tree.h"
#include "libfxtprofile/profile/profile.h"

#define FIREFOX_NONE UINT32_MAX

struct firefox_function {
    uint32_t function;
    /* FIREFOX_NONE for none. */
    uint32_t library;
};

struct firefox_library {
    uint32_t file;
    uint32_t build_id;
};

struct firefox_tables {
    const struct profile *profile;
    struct stack_tree stacks;
    /* By the profile's stacks, their nodes. */
    uint32_t *leaves;
    /* By frame. */
    uint32_t *frame_locations;
    uint32_t *frame_functions;
    struct firefox_function *functions;
    size_t n_functions;
    size_t function_capacity;
    struct table function_table;
    /* By mapping. */
    uint32_t *mapping_libraries;
    struct firefox_library *libraries;
    size_t n_libraries;
    size_t library_capacity;
    struct table library_table;
    /* By number of the profile's files, their place among the sources; FIREFOX_NONE for
     * files that are not sources. And the sources. */
    uint32_t *file_sources;
    uint32_t *sources;
    size_t n_sources;
    struct async_groups flows;
};

void firefox_tables_make(struct firefox_tables *tables, const struct profile *profile);

/* ---- Strings ----------------------------------------------------------------------- */

/*
 * One list: the profile's names, the names of libraries, the strings of events, and the
 * numbers of flows. These are the places of them there.
 */
static inline uint32_t firefox_library_string(const struct firefox_tables *tables,
                                              uint32_t library)
{
    return (uint32_t)tables->profile->names.n + library;
}

static inline uint32_t firefox_event_string(const struct firefox_tables *tables,
                                            uint32_t string)
{
    return (uint32_t)(tables->profile->names.n + tables->n_libraries) + string;
}

static inline uint32_t firefox_flow_string(const struct firefox_tables *tables,
                                           uint32_t flow)
{
    return firefox_event_string(tables, (uint32_t)tables->profile->events.strings.n) +
           flow;
}

/* The number of the flow of an event. */
uint32_t firefox_find_flow(struct firefox_tables *tables,
                           const struct profile_event *event);

#endif
