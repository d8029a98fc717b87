/* SPDX-License-Identifier: BSD-2-Clause */
/* The attributes of the kernel's perf events, which of them it allows, what samples by
 * them cost, and samples by the CPUs' counters of cycles. */
#ifndef LIBFXTSAMPLER_PERF_ATTR_H
#define LIBFXTSAMPLER_PERF_ATTR_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "libfxtsampler/session.h"

/* Finds out what events a session can have: those that it requested, or the closest ones.
 * On failure the cause is in the session's reason; so it is if stacks lack the kernel. */
enum fxt_sampler_code perf_attr_find(struct fxt_sampler *sampler,
                                     struct perf_event_attr *attr);

/* The one that samples a source of the session: like `attr`, if it has none, and else
 * like it in all but what is counted. Only the first one reports forks, names and
 * mappings. */
struct perf_event_attr perf_attr_of_source(const struct perf_event_attr *attr,
                                           const struct fxt_sampler *sampler,
                                           uint32_t number);
void perf_attr_report_nothing(struct perf_event_attr *attr);

/* Of events beside those that `attr` describes: the stack of each thread that is switched
 * out; and wakeups, by the id of their tracepoint. */
struct perf_event_attr perf_attr_of_switches(const struct perf_event_attr *attr);
struct perf_event_attr perf_attr_of_wakeups(const struct perf_event_attr *attr,
                                            uint64_t tracepoint);

/* Measures how much of its time a thread loses to samples: the calling thread, for some
 * milliseconds, with and without them. Returns thousandths; 0 for a period so long that
 * it would take longer, or if there can be no such event. */
uint32_t perf_cost_measure(const struct perf_event_attr *attr, uint64_t period_ns);

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
