/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command line says. */
#ifndef FXTSYMBOLIZE_SETTINGS_H
#define FXTSYMBOLIZE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/common/option_table.h"

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
    struct value_list debug_dirs;
    /* FILE[@ADDRESS|+SLIDE]. */
    struct value_list elfs;
};

#endif
