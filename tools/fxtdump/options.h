/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of fxtdump: what it is to do, and how it ends. */
#ifndef FXTDUMP_OPTIONS_H
#define FXTDUMP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/reader.h>

#include "tools/common/filter.h"
#include "print.h"

struct dump_options {
    const struct printer *printer;
    /* Counts are printed instead of records, as text or as JSON. */
    bool stats;
    bool stats_as_json;
    /* Events are printed by thread, spans nested, instead of records. */
    bool tree;
    struct filter filter;
    /* How many records or, in a tree, lines are printed at most. */
    uint64_t max_records;
    bool payload;
    bool color;
    /* NULL for standard output. */
    const char *output;
    /* Records that are appended to the file are printed, too, until the recording ends.
     */
    bool follows;
    /* Warnings and notes make the exit status 1. */
    bool strict;
    /* How many lines of each severity are printed for a file; 0 for none at all. */
    uint64_t max_lines;
    /* Each file is split into regions of this many bytes; PUMP_ALL for one. */
    uint64_t region_size;
    /* The caller does not set the callbacks. */
    struct fxt_reader_options reader;
};

/* The exit status; if several apply, the largest. */
enum dump_status {
    /* Every record was well formed. */
    DUMP_GOOD = 0,
    /* Something was malformed, or the output could not be written. */
    DUMP_BAD = 1,
    /* A file, or the command line, could not be used at all. */
    DUMP_UNUSABLE = 2
};

/* The name that the program's messages begin with. */
extern const char dump_program[];

/* Parses the options of the command line and returns the index of the first file. If one
 * is wrong, or is --help or --version, the program exits. */
int options_parse(struct dump_options *options, int argc, char **argv);

/* Prints all records of all files. */
enum dump_status dump_files(const struct dump_options *options, char *const *names,
                            size_t n_names);

#endif
