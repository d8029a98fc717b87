/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files that dump have in common: dump.c reads inputs, and dump_records.c takes
 * what the reader finds in them. */
#ifndef FXTDUMP_DUMP_STATE_H
#define FXTDUMP_DUMP_STATE_H

#include "common/base/io/input.h"
#include "common/base/io/output.h"
#include "options.h"
#include "stats.h"
#include "tools/common/report.h"
#include "tree/tree.h"

struct dump {
    const struct dump_options *options;
    struct print_context context;
    struct kernel_functions kernel;
    struct fxt_reader *reader;
    struct output *output;
    struct stats stats;
    struct tree tree;
    /* Lines that are not written yet. */
    struct text lines;
    enum dump_status status;
    /* How many records were printed or counted, and that no more are wanted. */
    uint64_t n_taken;
    bool stopped;
    /* How many files could not be used. */
    size_t n_unusable;

    /* The current file: its name in messages, the name of the current region, and what
     * was in it. */
    const char *name;
    struct input *input;
    /* Where in the input the current region begins. */
    uint64_t region_offset;
    struct text place;
    struct report report;
    uint64_t n_records;
    uint64_t n_skipped;

    /* A recorder has written the end of the archive. */
    bool has_end;
    /* The framing was lost. That is printed when the number of lost bytes is known. */
    bool has_fatal;
    struct fxt_error fatal;
    struct text fatal_bytes;
};

/* What the reader calls, with the dump as the context. */
int dump_print_record(void *context, const struct fxt_record *record);
int dump_count_record(void *context, const struct fxt_record *record);
int dump_take_event(void *context, const struct fxt_record *record);
int dump_take_error(void *context, const struct fxt_error *error);

/* Prints, or counts, a part of the input that could not be read. Returns non-zero if the
 * output failed. */
int dump_print_fault(struct dump *dump, const struct fault *fault);

/* The same of what follows the point where the framing was lost, when the region is at
 * its end, `n_bytes` from its start. */
void dump_print_fatal(struct dump *dump, uint64_t n_bytes);

/* Prints the tree of a region that is at its end, and forgets it. */
void dump_print_tree(struct dump *dump);

/* Writes the buffered output. Returns non-zero on failure. */
int dump_write_lines(struct dump *dump);

#endif
