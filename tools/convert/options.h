/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of the converters: what they share, and what a tool adds.
 */
#ifndef CONVERT_OPTIONS_H
#define CONVERT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/profile.h>

#include "common/base/parse.h"
#include "server_options.h"
#include "tools/common/option_table.h"

struct number_list {
    uint64_t *numbers;
    size_t n;
    size_t capacity;
};

enum { N_ROOTS = FXT_PROFILE_ROOT_CPU + 1 };

struct options {
    /* The tool's name. */
    const char *program;
    /* How the profile is built, how its inputs are read, and how it is written. */
    struct fxt_profile_options build;
    struct fxt_profile_input input;
    struct fxt_profile_output write;
    /* What is known of write.format, once it is chosen. */
    struct fxt_profile_format_info format;
    /* write.roots. */
    enum fxt_profile_root roots[N_ROOTS];

    /* The inputs, of which there is at least one. */
    struct fxt_profile_file *files;
    size_t n_files;
    size_t file_capacity;
    /* The CPU of the next file, where it is given. */
    bool has_cpu;
    uint32_t cpu;
    /* NULL for standard output. */
    const char *output;
    bool quiet;
    bool verbose;
    /* The names of the options that were given, each once. */
    const char **given;
    size_t n_given;

    bool has_cpus;
    struct cpu_set cpus;
    bool has_window;
    uint64_t first_ns;
    uint64_t last_ns;
    struct number_list processes;
    struct value_list process_names;
    struct number_list threads;
    /* --idle, if it is given. */
    bool has_idle;
    bool hides_idle;
    struct value_list idle;
    struct value_list above;
    struct value_list below;
    bool folds_recursion;
    bool has_min_wait;
    /* The points of series of heaps: the one that is shown, and the one that it is
     * compared with; 0 for the last. */
    bool has_point;
    uint64_t point;
    bool has_earlier_point;
    uint64_t earlier_point;
    /* A snapshot of heaps to be subtracted; NULL for none. */
    const char *base;
    /* An earlier recording, with which this one is compared; NULL for none. */
    const char *before;

    /* A server, and its database. */
    struct server_options server;
    const char *database;
    /* Samples are taken from it, in place of inputs; by a condition, and the earlier ones
     * by another, which may be NULL. */
    bool is_of_database;
    const char *where;
    const char *before_where;

    /* Where symbols are looked for, the user's directories first. */
    struct value_list debug_dirs;
    /* FILE@ADDRESS. */
    struct value_list elfs;
    /* NULL for none. */
    const char *kallsyms;
    /* Stacks that are not whole have no root frame that says why. */
    bool hides_cuts;
    /* Servers are not asked for files with symbols. */
    bool no_debuginfod;
    /* Nothing is named by symbols. */
    bool unsymbolized;

    /* The converter's `own`. */
    void *own;
    /* The converter's `write_own` writes the output. */
    bool writes_own;
    /* What it writes says which files lack symbols. */
    bool shows_missing_files;
};

struct conversion;
struct output;

/* Adds the samples of a database to a builder; returns false, with a message, if that
 * cannot be done. */
typedef bool options_query_fn(const struct options *options,
                              struct fxt_profile_builder *builder);

/* A converter: its name, its options and what it writes. */
struct converter {
    const char *name;
    /* What the help begins with. */
    const char *usage;
    /* All options, as the help has them. Those whose values are in `own` are the
     * tool's to check, and not of options_check_uses. */
    const struct option_group *groups;
    /* Without an option for it, the format is the one whose suffix the output's name has,
     * or else this one. */
    enum fxt_profile_format default_format;
    /* Files in that format may also have this suffix, though another converter's have it;
     * NULL for none. */
    const char *other_suffix;
    /* What is compressed by default is so only if the output's name ends in .gz. */
    bool gzip_by_name;
    /* Gets samples from a database, if it has options_database; else NULL. */
    options_query_fn *query;

    /* Which of a profile's values is shown; NULL for the one that the format shows. */
    size_t (*choose_value)(const struct fxt_profile *profile,
                           const struct fxt_profile_output *output);

    /* These are NULL, unless a tool writes something other than a format of the library:
     * its profiles are then made for default_format. It may also offer formats, which are
     * chosen by the output's name; or write something else only if a separate option
     * was given, which sets the options' writes_own. */
    bool writes_own_if_told;
    /* Its --diff subtracts, in place of comparing. */
    bool subtracts;
    /* Where it keeps its options. */
    void *own;
    /* Complains and returns false for options that do not go together, or a name of the
     * output that does not go with them. */
    bool (*check_own)(struct options *options);
    /* Prints what needs no inputs, if the options ask for that, and stores an exit
     * status. Returns false if inputs are to be converted. NULL for none. */
    bool (*print_own)(const struct options *options, int *status);
    /* Takes the place of convert_inputs (convert.h), which it may call; returns an exit
     * status. NULL for none. */
    int (*run_own)(struct conversion *conversion);
    /* It opens what it writes, such as the files of a directory: the output of
     * write_own is NULL. */
    bool opens_own;
    /* Writes the output, which includes what the profile lacks. Returns an exit status;
     * the output is kept unless that is EXIT_UNUSABLE or EXIT_UNWRITTEN. */
    int (*write_own)(const struct conversion *conversion, struct output *output);
};

/* Adds numbers that have commas between them; returns false for anything else. */
bool number_list_add(struct number_list *list, const char *value);

/* Whether a value is an extended regular expression; stores why not. */
bool options_check_expression(struct option_given *given);

/* Whether the profile is made from scheduling records. */
static inline bool options_is_of_sched(const struct options *options)
{
    return options->build.source == FXT_PROFILE_OFF_CPU ||
           options->build.source == FXT_PROFILE_WAKEUPS ||
           options->build.source == FXT_PROFILE_WALL_CLOCK;
}

/* Whether only some times, processes, threads or CPUs are taken. */
static inline bool options_take_part(const struct options *options)
{
    return options->has_window || options->has_cpus || options->processes.n > 0 ||
           options->process_names.n > 0 || options->threads.n > 0;
}

enum options_result {
    OPTIONS_OK,
    /* Help or the version was requested and printed. */
    OPTIONS_DONE,
    /* It could not be printed. */
    OPTIONS_FAILED,
    /* A complaint was printed. */
    OPTIONS_WRONG,
};

/* Takes the command line. `options` must stay in place. */
enum options_result options_parse(struct options *options,
                                  const struct converter *converter, int argc,
                                  char **argv);

#endif
