/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much of a thread's CPU time its samples cost, and by how much its period is
 * stretched so that they cost no more than a quarter. Whole periods: a stack that is
 * taken after several of them makes as many samples, so that all samples stand for the
 * same time.
 */
#ifndef LIBFXTSAMPLER_THROTTLE_H
#define LIBFXTSAMPLER_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

/* One of each thread; all zero but for `stretch`. */
struct throttle {
    /* How many periods pass from one signal to the next. */
    uint64_t stretch;
    /* The signals that were measured since it was last decided: how many, what they cost,
     * and the CPU time that the thread took in all. */
    unsigned n;
    uint64_t cost_ns;
    uint64_t cpu_ns;
};

/* The largest share is one in THROTTLE_SHARE, measured by the mean over a number of
 * signals; the period is made shorter again at half of that; in between nothing is
 * changed. */
enum { THROTTLE_SHARE = 4, THROTTLE_SIGNALS = 16, THROTTLE_STRETCH_MAX = 1 << 20 };

/* For a thread that is never without a CPU. */
static inline uint64_t throttle_stretch(uint64_t cost_ns, uint64_t period_ns)
{
    uint64_t stretch = cost_ns / period_ns * THROTTLE_SHARE +
                       (cost_ns % period_ns * THROTTLE_SHARE + period_ns - 1) / period_ns;

    if (stretch > THROTTLE_STRETCH_MAX)
        return THROTTLE_STRETCH_MAX;
    return stretch > 0 ? stretch : 1;
}

/* A thread that runs from time to time needs more than one that always runs. */
static inline uint64_t throttle_more(uint64_t stretch, uint64_t cost_ns,
                                     uint64_t period_ns)
{
    uint64_t least = throttle_stretch(cost_ns, period_ns);
    uint64_t more = stretch + (stretch + 3) / 4;

    if (more > THROTTLE_STRETCH_MAX)
        more = THROTTLE_STRETCH_MAX;
    return least > more ? least : more;
}

/* Takes what a signal cost, and how much CPU time the thread took from its beginning to
 * that of the next. Returns whether the stretch is another one now. */
static inline bool throttle_measure(struct throttle *throttle, uint64_t cost_ns,
                                    uint64_t cpu_ns, uint64_t period_ns)
{
    uint64_t before = throttle->stretch;
    uint64_t after = before;
    uint64_t mean_ns;

    throttle->cost_ns += cost_ns;
    throttle->cpu_ns += cpu_ns;
    if (++throttle->n < THROTTLE_SIGNALS)
        return false;
    mean_ns = throttle->cost_ns / throttle->n;
    if (throttle->cost_ns > throttle->cpu_ns / THROTTLE_SHARE)
        after = throttle_more(before, mean_ns, period_ns);
    else if (throttle->cost_ns < throttle->cpu_ns / (2 * THROTTLE_SHARE) &&
             before > throttle_stretch(mean_ns, period_ns))
        after = throttle_stretch(mean_ns, period_ns);
    *throttle = (struct throttle){.stretch = after};
    return after != before;
}

#endif
