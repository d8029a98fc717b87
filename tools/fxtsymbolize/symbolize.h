/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds to an archive the functions, source files, lines and inlined calls at the
 * addresses that it has, from what this machine has: a copy in which all records stay as
 * they were, and records of symbols (docs/symbol-records.md) follow the last one. What
 * cannot be read as a record comes after these.
 */
#ifndef FXTSYMBOLIZE_SYMBOLIZE_H
#define FXTSYMBOLIZE_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>

#define FXTSYMBOLIZE_PROGRAM "fxtsymbolize"

/* The exit status. */
enum symbolize_status {
    SYMBOLIZE_GOOD = 0,
    /* The input is damaged, or the output could not be written. */
    SYMBOLIZE_BAD = 1,
    /* The command line or the input cannot be used. */
    SYMBOLIZE_UNUSABLE = 2
};

struct symbolize_options {
    /* "-" is standard input. */
    const char *input;
    /* NULL for standard output. */
    const char *output;
    /* The copy takes the place of the input, if anything was added. */
    bool in_place;
    bool no_debuginfod;
    bool resync;
    bool quiet;
    bool verbose;
    /* Where files are looked for, before /usr/lib/debug. */
    const char **debug_dirs;
    size_t n_debug_dirs;
    /* FILE[@ADDRESS|+SLIDE]. */
    const char **elfs;
    size_t n_elfs;
};

enum symbolize_status symbolize(const struct symbolize_options *options);

#endif
