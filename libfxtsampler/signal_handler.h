/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens in a thread that a timer interrupts to sample it. */
#ifndef LIBFXTSAMPLER_SIGNAL_HANDLER_H
#define LIBFXTSAMPLER_SIGNAL_HANDLER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How the samples of a session are taken: each period, which is one of CPU time or of the
 * clock on the wall. To be called before the first timer runs. Returns false, with errno
 * set, if the system does not let stacks be read, or signals be handled. */
bool signal_handler_install(uint64_t period_ns, bool by_wall_clock);

/* To be called before the timers of a session are started. */
void signal_handler_start(void);

/* In wall-clock time: the period with which a thread's timer is started. It is the
 * session's, or as many times that as the cost of a signal requires; the handler adapts
 * it. */
uint64_t signal_handler_period(void);

/* How long after its start a thread is due for the first time: somewhere in its first
 * period, so that threads that run for less than one period are sampled in proportion to
 * the time that they take, and not never. Consecutive ids are spread evenly. */
static inline uint64_t signal_handler_first_ns(pid_t thread, uint64_t period_ns)
{
    /* Multiples of the golden ratio, in 65536ths. */
    uint32_t part = (uint32_t)thread * 2654435769u >> 16;

    return (period_ns * part >> 16) + 1;
}

#endif
