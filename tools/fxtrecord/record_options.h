/* SPDX-License-Identifier: BSD-2-Clause */
/* What is to be recorded, and how: by the command line. */
#ifndef FXTRECORD_RECORD_OPTIONS_H
#define FXTRECORD_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/sampler.h>

#include "tools/common/option_table.h"

#define FXTRECORD_PROGRAM "fxtrecord"

enum { FXTRECORD_FAILED = 1, FXTRECORD_USAGE = 2 };

/* The default is 997 Hz, a prime number: not in step with what programs and kernels do
 * every millisecond. */
#define FXTRECORD_PERIOD_NS 1003009

/* A process, a thread, or a control group by its name. */
struct record_target {
    enum fxt_sampler_target kind;
    pid_t id;
    const char *name;
};

struct record_options {
    /* 0 for the default. */
    uint64_t period_ns;
    uint64_t buffer_size;
    /* enum fxt_sampler_flag */
    uint32_t flags;
    enum fxt_sampler_method method;
    enum fxt_sampler_call_graph call_graph;
    /* 0 for the default. */
    uint32_t stack_size;
    /* What is sampled, if it is not the clock or cycles; and how many events that are no
     * clocks a sample stands for, 0 for the default. */
    struct fxt_sampler_source *sources;
    uint32_t n_sources;
    uint64_t source_count;
    /* 0 for as long as there is something to record. */
    uint64_t duration_ns;
    /* What is recorded: all of it, at least one. */
    bool is_system;
    struct record_target *targets;
    size_t n_targets;
    char *const *command;
    /* An archive, or a directory for regions. */
    const char *output;
    const char *regions;
    /* 0 where they are not asked for: the size of the archive, at most; that from which
     * on the next one is begun, and how many to keep; and the time of which samples are
     * kept in memory. */
    uint64_t max_bytes;
    uint64_t rotate_bytes;
    uint64_t n_kept;
    /* A file stays in place of each archive that is not kept: see output_name.h. */
    bool notes_removed;
    uint64_t last_ns;
    /* Archives are compressed by zstd. */
    bool compresses;
    /* Archives get the functions and lines at their addresses. */
    bool embeds_symbols;
    /* Without those of servers. */
    bool no_debuginfod;
    /* The command's programs are not made to trace themselves. */
    bool no_program_traces;
    bool quiet;
    /* A debug stub in place of all these, or NULL: how often it is to stop its target,
     * and how long that runs in between. */
    const char *gdb;
    uint64_t n_captures;
    uint64_t interval_ns;
    /* The machine of a stub that does not report it (enum rsp_machine). */
    int machine;
    /* The gdb that samples, instead of fxtrecord itself, or NULL; and files with the
     * target's code. */
    const char *with_gdb;
    struct value_list elf_files;
    /* An option was given that only debug stubs have. */
    bool has_gdb_option;
    /* The command line. */
    int argc;
    char *const *argv;
};

/* ---- Which options fit together ---------------------------------------------------- */

/* Ends the program with a message and the status for a wrong command line. */
_Noreturn void options_refuse(const char *message);

/* Ends the program if options exclude each other, or need others. Sets the default
 * output. */
void options_check(struct record_options *options);

/* For --event: adds the events of a list, whose names are separated by commas. Ends the
 * program where one of them is unknown. */
void event_options_take(struct record_options *options, const char *list);

/* Once all options are known: makes the list what the session is to be configured with,
 * and ends the program where something excludes it. */
void event_options_settle(struct record_options *options);

/* Whether a control group is recorded. */
bool options_have_cgroup(const struct record_options *options);

/* Whether a clock is sampled, alone or beside other events. */
bool options_sample_clock(const struct record_options *options);

/* ---- From the command line to the exit status -------------------------------------- */

/* Reads the command line, or ends the program, after what --help and --version print or
 * with a message. */
void options_read(struct record_options *options, int argc, char **argv);

/* One recording, from the beginning of the session to the files that it leaves. Returns
 * the exit status. */
int record(const struct record_options *options);

#endif
