/* SPDX-License-Identifier: BSD-2-Clause */
/* How much of its time a thread loses to samples by perf events. */
#ifndef LIBFXTSAMPLER_PERF_COST_H
#define LIBFXTSAMPLER_PERF_COST_H

#include <linux/perf_event.h>
#include <stdint.h>

/* Measures it in the calling thread, for some milliseconds, with and without samples.
 * Returns thousandths; 0 for a period so long that it would take longer, or if there can
 * be no such event. */
uint32_t perf_cost_measure(const struct perf_event_attr *attr, uint64_t period_ns);

#endif
