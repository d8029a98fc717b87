/* SPDX-License-Identifier: BSD-2-Clause */
/* What both ways to record through a debug stub share: progress, time, and being stopped
 * by the user. */
#ifndef FXTRECORD_DEBUGGER_GDB_PROGRESS_H
#define FXTRECORD_DEBUGGER_GDB_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"

/* Times are counted in steps of one part in 32. */
enum { GDB_TIMES_MAX = 60 * 32 };

/* How long a target was stopped, and what is shown while it is recorded. */
struct gdb_progress {
    uint64_t n_wanted;
    uint64_t n_captures;
    uint64_t stopped_ns;
    uint64_t longest_ns;
    uint64_t n_times[GDB_TIMES_MAX];
    bool is_shown;
};

/* Counts a capture, for which the target was stopped this long. */
void gdb_progress_add(struct gdb_progress *progress, uint64_t stopped_ns);
void gdb_progress_hide(const struct gdb_progress *progress);

/* "; 200 captures, 0.69 ms stopped for each, 0.61 ms at the median, 1.53 ms at most" */
void gdb_progress_describe(const struct gdb_progress *progress, struct text *to);

/* A descriptor that is readable once the user has asked to stop, by Ctrl-C or a signal.
 */
int gdb_stop_descriptor(void);

uint64_t gdb_clock(void);

#endif
