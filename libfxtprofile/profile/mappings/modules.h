/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is mapped where in each process, from a profiler's module and mapping records.
 *
 * A module record announces a file under a number, which is valid for mapping records of
 * the same process, in the same stream, until the number is announced again. A mapping
 * replaces, from its time on, earlier ones at the same addresses. Look-ups come last:
 * Fuchsia's profiler writes all of this after the samples.
 *
 * And what functions the records of symbols (docs/symbol-records.md) name in each
 * process: those of a JIT compiler, which are in no file. They replace each other in the
 * same way. And the functions and lines that such records have of modules.
 */
#ifndef FXTPROFILE_PROFILE_MAPPINGS_MODULES_H
#define FXTPROFILE_PROFILE_MAPPINGS_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "boots.h"
#include "epochs.h"
#include "file_lines.h"
#include "mapping_set.h"
#include "common/base/string_table.h"
#include "common/base/table.h"

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

/* A function in no file: the places in `function_names`, as strings that end in zero, of
 * its name and of what tells it from others of its name, which may be empty; and the
 * source of the name. */
struct named_function {
    uint32_t name;
    uint32_t home;
    uint32_t source;
};

/* A process's source of names, such as a perf map. */
struct function_source {
    uint64_t process;
    uint32_t name;
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

    struct mapping_set mapped;

    /* Mappings whose module is the number of a function. */
    struct mapping_set functions;
    struct string_table function_names;
    struct named_function *function_list;
    size_t n_functions;
    size_t function_capacity;
    struct table function_table;
    struct function_source *sources;
    size_t n_sources;
    size_t source_capacity;
    struct table source_table;

    /* By files: what modules with such a build id or name have. */
    struct file_lines lines;

    /* The boots that processes are of; NULL if there is only one. */
    const struct boots *boots;

    /* Of both; after modules_finish. */
    struct epochs epochs;
};

/* Starts a stream: numbers of modules are those of a stream. */
void modules_start_stream(struct modules *modules);

/* A record of kind FXT_PROFILER_MODULE. */
void modules_announce(struct modules *modules, const struct fxt_profiler *record);

/* A record of kind FXT_PROFILER_MAPPING, of some time. Returns false, and ignores it, if
 * its module was never announced or its length is 0. */
bool modules_map(struct modules *modules, const struct fxt_profiler *record,
                 uint64_t time_ns);

/* The number of a process's source of names, for modules_add_function. Process 0 is for
 * what is at the same address in all processes. */
uint32_t modules_find_source(struct modules *modules, uint64_t process,
                             struct string name);

/* A function that has been at an address since some time, 0 for always. Neither its name
 * nor its home, which is as in a source_line and may be empty, has a zero byte. Returns
 * false, and ignores it, if its size is 0. */
bool modules_add_function(struct modules *modules, uint32_t source, uint64_t start,
                          uint64_t size, uint64_t time_ns, struct string name,
                          struct string home);

/* The number in `lines` of the file with this name and build id in lower-case hex, one of
 * which may be empty, that was recorded in the boot that a process is of. */
uint32_t modules_find_file(struct modules *modules, uint64_t process, struct string name,
                           struct string build_id);

/* After the last record and before the first look-up. */
void modules_finish(struct modules *modules);

/* Whether addresses mean something else in each process. */
bool modules_have_processes(const struct modules *modules);

/* What a process had at an address in an epoch, or NULL; epoch 0 is the state after all
 * mappings. */
const struct mapping *modules_find(const struct modules *modules, uint64_t process,
                                   uint32_t epoch, uint64_t address);

/* The same of functions: first those of the process, and then those of its kernel. */
const struct mapping *modules_find_function(const struct modules *modules,
                                            uint64_t process, uint32_t epoch,
                                            uint64_t address);

/* The lines that records have of an address of a process, in a mapping that was found
 * there; or NULL. */
const struct file_address *modules_find_lines(const struct modules *modules,
                                              uint64_t process,
                                              const struct mapping *mapping,
                                              uint64_t address);

/* The name of a function that was found, its home, and the name of its source; the first
 * two end in zero. Valid until another function is added. */
const char *modules_function_name(const struct modules *modules,
                                  const struct mapping *function);
const char *modules_function_home(const struct modules *modules,
                                  const struct mapping *function);
struct string modules_source_name(const struct modules *modules,
                                  const struct mapping *function);

/* The range of addresses around one of a function that has functions and no mapping. */
void modules_function_range(const struct modules *modules, const struct mapping *function,
                            uint64_t address, uint64_t *start, uint64_t *limit);

struct string modules_name(const struct modules *modules, const struct mapping *mapping);
struct string modules_build_id(const struct modules *modules,
                               const struct mapping *mapping);

void modules_free(struct modules *modules);

#endif
