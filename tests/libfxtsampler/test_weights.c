/* SPDX-License-Identifier: BSD-2-Clause */
/* What samples stand for, where events of CPUs have sampled others, too. */
#include "libfxtsampler/events/weights.h"
#include "tests/support/harness.h"

TEST(weights, the_targets_have_the_part_of_what_was_counted_that_their_weights_have)
{
    /* Of 50 samples of CPUs that stand for 4,000 events, 10 are the targets'; they stand
     * for 1,000. The CPUs have counted twice as much, and lost 25 samples. */
    const struct weighed_source source = {
        .all = {30, 3000}, .by_cpus = {10, 1000}, .of_cpus = {50, 4000}};
    struct perf_count share = weights_share(&source, (struct perf_count){8000, 25});

    CHECK(share.counted == 2000, "%u", (unsigned)share.counted);
    CHECK(share.lost == 5, "others have lost the rest: %u", (unsigned)share.lost);
}

TEST(weights, samples_that_were_lost_stand_for_as_much_as_the_others)
{
    const struct weighed_source source = {.all = {30, 3000}};

    CHECK(weights_sampled(&source, 0) == 3000, "none is lost");
    CHECK(weights_sampled(&source, 15) == 4500, "half as many again");
}

TEST(weights, without_samples_nothing_is_known)
{
    const struct weighed_source none = {.all = {0, 0}};
    struct perf_count share = weights_share(&none, (struct perf_count){8000, 25});

    CHECK(share.counted == 0 && share.lost == 0, "no sample has a weight");
    CHECK(weights_sampled(&none, 3) == 0, "no sample has a weight");
}
