/* SPDX-License-Identifier: BSD-2-Clause */
/* What the command line says, and what is done then. */
#ifndef FXTCUT_SETTINGS_H
#define FXTCUT_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/reader.h>

#include "choice.h"
#include "parts.h"
#include "tools/common/option_table.h"
#include "windows.h"

#define FXTCUT_PROGRAM "fxtcut"

struct cut_settings {
    /* "-" is standard input. */
    const char *input;
    /* NULL for standard output. */
    const char *output;
    struct choice choice;
    /* Patterns for the names of processes. */
    struct value_list process_names;
    bool has_time;
    struct time_window time;
    /* Each instance of a span has a file. */
    bool each;
    /* 0 for all. */
    uint64_t every;
    struct split split;
    /* Without callbacks. */
    struct fxt_reader_options reader;
    bool quiet;
    bool verbose;
};

/* The exit status. */
enum cut_status {
    CUT_GOOD = 0,
    /* The input is damaged, nothing is to be cut around, or the output could not be
     * written. */
    CUT_BAD = 1,
    /* The command line or the input cannot be used. */
    CUT_UNUSABLE = 2
};

static inline bool settings_have_around(const struct cut_settings *settings)
{
    return settings->choice.lists[EXPRESSION_AROUND].n > 0;
}

/*
 * Copies of an input a part of its records, with the registrations that these need. One
 * pass; another before it where the names of processes, or the instances of a span, are
 * to be found first.
 */
enum cut_status cut(struct cut_settings *settings);

/* Takes the command line. Returns -1 if the settings are there, or else an exit status.
 */
int options_parse(struct cut_settings *settings, int argc, char **argv);

#endif
