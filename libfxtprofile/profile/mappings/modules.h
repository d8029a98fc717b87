/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is mapped where in each process, from a profiler's module and mapping records.
 *
 * A module record announces a file under a number, which is valid for mapping records of
 * the same process, in the same stream, until the number is announced again. A mapping
 * replaces, from its time on, earlier ones at the same addresses. Look-ups come last:
 * Fuchsia's profiler writes all of this after the samples.
 */
#ifndef FXTPROFILE_PROFILE_MAPPINGS_MODULES_H
#define FXTPROFILE_PROFILE_MAPPINGS_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "mapping.h"
#include "mapping_times.h"
#include "base/string_table.h"
#include "base/table.h"

/* A file: its name, and its build id in lower-case hex, by their numbers in `names` and
 * `build_ids`. */
struct module {
    uint32_t name;
    uint32_t build_id;
};

/* The module that a number means in a process. */
struct announcement {
    uint64_t process;
    uint32_t id;
    uint32_t module;
};

/* All zero is an empty one. */
struct modules {
    struct module *modules;
    size_t n_modules;
    size_t module_capacity;
    struct table module_table;
    struct string_table names;
    struct string_table build_ids;

    struct announcement *announcements;
    size_t n_announcements;
    size_t announcement_capacity;
    struct table announcement_table;

    /* In the order of the input; after modules_finish by process and start, without
     * overlap. */
    struct mapping *mappings;
    size_t n_mappings;
    size_t mapping_capacity;
    /* For processes that have reused addresses; after modules_finish. */
    struct mapping_times times;
};

/* Starts a stream: numbers of modules are those of a stream. */
void modules_start_stream(struct modules *modules);

/* A record of kind FXT_PROFILER_MODULE. */
void modules_announce(struct modules *modules, const struct fxt_profiler *record);

/* A record of kind FXT_PROFILER_MAPPING, of some time. Returns false, and ignores it, if
 * its module was never announced or its length is 0. */
bool modules_map(struct modules *modules, const struct fxt_profiler *record,
                 uint64_t time_ns);

/* After the last record and before the first look-up. */
void modules_finish(struct modules *modules);

/* The last mapping that has an address of a process, or NULL. */
const struct mapping *modules_find(const struct modules *modules, uint64_t process,
                                   uint64_t address);

/* The same in an epoch of the process; 0 is the state after all mappings. */
const struct mapping *modules_find_in(const struct modules *modules, uint64_t process,
                                      uint32_t epoch, uint64_t address);

struct string modules_name(const struct modules *modules, const struct mapping *mapping);
struct string modules_build_id(const struct modules *modules,
                               const struct mapping *mapping);

void modules_free(struct modules *modules);

#endif
