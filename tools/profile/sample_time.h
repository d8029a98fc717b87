/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much time a sample stands for: what the user says, or else what a recording says of
 * its own samples: an instant event "recording" of category "fxtrecord" with an argument
 * period_ns, which stands before them. Regions have no such event; if all recordings that
 * are read with them say the same, it holds for them, too.
 */
#ifndef TOOLS_SAMPLE_TIME_H
#define TOOLS_SAMPLE_TIME_H

#include "collect.h"

/* Before the first stream: what the user says, or 0. */
void sample_time_init(struct collect *collect, uint64_t period_ns);

/* A stream begins, of which nothing is known yet. */
void sample_time_start(struct collect *collect);

/* An event of the archive's, which may be the one. */
void sample_time_take(struct collect *collect, const struct fxt_record *record);

/* A stream has ended. */
void sample_time_end(struct collect *collect);

/* All streams have ended. If it is not known of all samples, it is of none. */
void sample_time_finish(struct collect *collect);

#endif
