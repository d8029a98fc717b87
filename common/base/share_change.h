/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a part of a recording has changed against an earlier one, as every tool that
 * compares recordings computes it: the parts are shares of their recordings, so that
 * recordings of different lengths can be compared, and changes that random sampling alone
 * may explain are noise.
 */
#ifndef BASE_SHARE_CHANGE_H
#define BASE_SHARE_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

/* A whole recording: the sum of its values, and how many random samples it is of; 0 if it
 * is of all there is to count, as spans and heaps are. */
struct share_whole {
    double value;
    uint64_t n_samples;
};

struct share_change {
    /* Shares, from 0 to 1, and their difference. */
    double before;
    double after;
    double difference;
    /* The square of the difference's standard error. */
    double variance;
};

static inline double share_variance_(double share, uint64_t n_samples)
{
    return n_samples > 0 ? share * (1 - share) / (double)n_samples : 0;
}

static inline struct share_change share_change(double before,
                                               struct share_whole all_before,
                                               double after, struct share_whole all_after)
{
    struct share_change change = {
        .before = all_before.value != 0 ? before / all_before.value : 0,
        .after = all_after.value != 0 ? after / all_after.value : 0,
    };

    change.difference = change.after - change.before;
    change.variance = share_variance_(change.before, all_before.n_samples) +
                      share_variance_(change.after, all_after.n_samples);
    return change;
}

/* Whether there is no change, or one within two standard errors, which with 95 %
 * confidence is noise. */
static inline bool share_change_is_noise(const struct share_change *change)
{
    return change->difference * change->difference <= 4 * change->variance;
}

#endif
