/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings of a target behind a debug stub, from outside: it is stopped again and
 * again, to look at what each of its CPUs does.
 */
#ifndef FXTRECORD_DEBUGGER_GDB_RECORD_H
#define FXTRECORD_DEBUGGER_GDB_RECORD_H

#include "tools/fxtrecord/record.h"
#include "base/text.h"

/* How long a target was stopped, and what is shown while it is recorded. */
struct gdb_progress {
    uint64_t n_wanted;
    uint64_t n_captures;
    uint64_t stopped_ns;
    uint64_t longest_ns;
    bool is_shown;
};

/* One capture more, for which the target was stopped so long. */
void gdb_progress_add(struct gdb_progress *progress, uint64_t stopped_ns);
void gdb_progress_hide(const struct gdb_progress *progress);

/* "; 200 captures, 0.69 ms stopped for each, 1.53 ms at most" */
void gdb_progress_describe(const struct gdb_progress *progress, struct text *to);

/* A descriptor that is readable once the user has had enough, by Ctrl-C or otherwise. */
int gdb_stop_descriptor(void);

uint64_t gdb_clock(void);

/* Records; by our own client, to FXT, or by a gdb process, to its log. Returns the exit
 * status. */
int gdb_record(const struct record_options *options);
int gdb_record_with_gdb(const struct record_options *options);

#endif
