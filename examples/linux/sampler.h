/* SPDX-License-Identifier: BSD-2-Clause */
/* What the timer of each CPU calls. */
#ifndef LINUX_SAMPLER_H
#define LINUX_SAMPLER_H

#include <linux/hrtimer.h>

#include "source.h"

/* The time to the source's next tick. It is not always the same, but from 1/2 to 3/2 of
 * the period, so that ticks do not fall in step with what they interrupt. */
ktime_t sampler_choose_time(struct source *source);

/* Takes a sample of what the interrupt has found, and sets the timer again while the
 * session runs. In hard interrupts. */
enum hrtimer_restart sampler_tick(struct hrtimer *timer);

#endif
