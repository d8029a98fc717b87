/* SPDX-License-Identifier: BSD-2-Clause */
/* What fxt/trace.h has in the memory of a program. */
#ifndef FXTTRACE_TRACED_H
#define FXTTRACE_TRACED_H

#include <fxt/trace.h>
#include <fxt/trace/layout.h>

#include "target.h"

struct traced {
    struct fxt_trace_control_ control;
    /* The number of the session, or 0; 1 before the first event. */
    uint32_t session;
    /* The last session that there was, if there was one, and the file that was asked for;
     * its numbers are consistent. */
    bool has_file;
    struct fxt_trace_file_ file;
    char path[4096];
};

enum traced_result {
    TRACED_FOUND,
    /* The program does not use fxt/trace.h. */
    TRACED_NONE,
    /* It uses another version. */
    TRACED_OTHER,
    /* Its memory makes no sense, or the process has ended. */
    TRACED_UNREADABLE
};

enum traced_result traced_find(struct traced *traced, const struct target *target);

/* Why a program cannot be used, for messages. */
const char *traced_reason(enum traced_result result);

/* The number in a program's memory that a pointer is. */
uint64_t traced_address(const void *pointer);

/* Where the whole records of a chunk end, of which the first is at a word: what follows
 * them is one that fills the rest, or nothing yet. What is no record is counted. */
uint64_t traced_records_end(const uint64_t *words, uint64_t at, uint64_t *n_damaged);

/* How much of the file is used. */
uint64_t traced_bytes(const struct traced *traced);

/* Switches all categories by patterns, which also decide about those that come later.
 * Returns false if the program's memory cannot be read or written. */
bool categories_switch(const struct target *target, const struct traced *traced,
                       const char *patterns);

/* Adds the categories that the program has come to, quoted, those that are off
 * with " (off)". */
bool categories_list(const struct target *target, const struct traced *traced,
                     struct text *to);

#endif
