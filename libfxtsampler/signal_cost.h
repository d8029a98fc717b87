/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a timer's signal costs the thread that gets it, apart from what its handler does:
 * the interrupt, the kernel's delivery and the return from it. A handler cannot see
 * these, and they are most of it. In virtual machines setting the timer is dear, too.
 */
#ifndef LIBFXTSAMPLER_SIGNAL_COST_H
#define LIBFXTSAMPLER_SIGNAL_COST_H

#include <stdbool.h>
#include <stdint.h>

/* What the signals carry that are sent to measure them: no thread has the id 0. */
enum { SIGNAL_COST_VALUE = 0 };

/* Measures it, once per process, by signals sent to the calling thread without a pause;
 * the handler must be installed. Takes about half a millisecond. Returns false, with
 * errno set, if there is no timer. */
bool signal_cost_measure(void);

/* To be called by the handler for each of these signals. */
void signal_cost_take(void);

/* Nanoseconds of CPU time, once they are measured; 0 where timers are no faster than the
 * kernel's ticks, so that they cannot cost much. */
uint64_t signal_cost_ns(void);

/* The CPU time of the calling thread. */
uint64_t signal_cost_own_cpu_time(void);

#endif
