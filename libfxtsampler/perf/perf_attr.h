/* SPDX-License-Identifier: BSD-2-Clause */
/* The attributes of the kernel's perf events, and which of them it allows. */
#ifndef LIBFXTSAMPLER_PERF_ATTR_H
#define LIBFXTSAMPLER_PERF_ATTR_H

#include <linux/perf_event.h>

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

#endif
