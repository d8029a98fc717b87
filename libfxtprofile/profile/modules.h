/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is mapped where in each process, as a profiler's module and mapping records tell
 * it.
 *
 * A module record announces a file under a number, which counts for mapping records of
 * the same process, and in the same stream, until the number is announced again. A
 * mapping takes, from its time on, the place of what an earlier one has shown at the same
 * addresses. Look-ups come last: Fuchsia's profiler writes all of this behind the
 * samples.
 */
#ifndef FXTPROFILE_PROFILE_MODULES_H
#define FXTPROFILE_PROFILE_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "mapping_times.h"
#include "base/string_table.h"
#include "base/table.h"

/* A file: its name, and its build id in lower-case hex, by their numbers in `names` and
 * `build_ids`. */
struct module {
    uint32_t name;
    uint32_t build_id;
};

/* The addresses from `start` up to `limit` show a module from its own address `vaddr` on.
 */
struct mapping {
    uint64_t process;
    uint64_t start;
    uint64_t limit;
    uint64_t vaddr;
    uint32_t module;
    /* enum fxt_mapping_flag; not looked at, since writers and readers of it differ. */
    uint32_t flags;
    /* Since when, and its place in the order of the input: the highest counts. */
    uint64_t time_ns;
    uint32_t sequence;
};

/* What a process calls a module. */
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

    /* As they came; after modules_finish sorted by process and start, without overlap. */
    struct mapping *mappings;
    size_t n_mappings;
    size_t mapping_capacity;
    /* For processes that have used addresses twice; after modules_finish. */
    struct mapping_times times;
};

/* Another stream begins: its modules have their own numbers. */
void modules_start_stream(struct modules *modules);

/* A record of kind FXT_PROFILER_MODULE. */
void modules_announce(struct modules *modules, const struct fxt_profiler *record);

/* A record of kind FXT_PROFILER_MAPPING, of some time. Returns false, and ignores it, if
 * its module was never announced or it shows nothing. */
bool modules_map(struct modules *modules, const struct fxt_profiler *record,
                 uint64_t time_ns);

/* After the last record and before the first look-up. */
void modules_finish(struct modules *modules);

/* The last mapping that has an address of a process, or NULL. */
const struct mapping *modules_find(const struct modules *modules, uint64_t process,
                                   uint64_t address);

/* The same in one of the process's epochs, if it has any; 0 is at the end of all. */
const struct mapping *modules_find_in(const struct modules *modules, uint64_t process,
                                      uint32_t epoch, uint64_t address);

struct string modules_name(const struct modules *modules, const struct mapping *mapping);
struct string modules_build_id(const struct modules *modules,
                               const struct mapping *mapping);

void modules_free(struct modules *modules);

#endif
