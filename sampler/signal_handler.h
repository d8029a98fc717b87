/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens in a thread that a timer interrupts to sample it. */
#ifndef SAMPLER_SIGNAL_HANDLER_H
#define SAMPLER_SIGNAL_HANDLER_H

#include <stdbool.h>
#include <stdint.h>

/* How the samples of a session are taken: each period, which is one of CPU time or of the
 * clock on the wall. To be called before the first timer runs. Returns false, with errno
 * set, if the system does not let stacks be read, or signals be handled. */
bool signal_handler_install(uint64_t period_ns, bool by_wall_clock);

#endif
