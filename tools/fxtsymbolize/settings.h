/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command line says. */
#ifndef FXTSYMBOLIZE_SETTINGS_H
#define FXTSYMBOLIZE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#define FXTSYMBOLIZE_PROGRAM "fxtsymbolize"

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

#endif
