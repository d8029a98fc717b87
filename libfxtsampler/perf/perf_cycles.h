/* SPDX-License-Identifier: BSD-2-Clause */
/* How samples are taken by the CPUs' counters of cycles. */
#ifndef LIBFXTSAMPLER_PERF_CYCLES_H
#define LIBFXTSAMPLER_PERF_CYCLES_H

#include <linux/perf_event.h>

#include "libfxtsampler/session.h"

/* Has the events of a session count cycles. Their period is one in cycles once
 * perf_cycles_settle has found it. */
void perf_cycles_describe(struct perf_event_attr *attr);

/* Finds the period in cycles that comes closest to the session's, for events that this
 * thread may have, and sees whether all CPUs have such counters. On failure the cause is
 * in the session's reason. */
enum fxt_sampler_code perf_cycles_settle(struct fxt_sampler *sampler,
                                         struct perf_event_attr *attr);

/* Puts into the session's reason what an error of the kernel means for cycle counters;
 * `where` comes first, such as "CPU 1: ". */
void perf_cycles_explain(struct fxt_sampler *sampler, const char *where, int error);

#endif
