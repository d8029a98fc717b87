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

#endif
