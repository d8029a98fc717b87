/* SPDX-License-Identifier: BSD-2-Clause */
/* When samples were lost, while writers are preempted after they took the time. */
#include "tests/support/harness.h"

#include <stdatomic.h>
#include <stdbool.h>

static void take_step(void);

#define REGIONS_STEP() take_step()

#include "libfxtsampler/regions.c"

static struct region region;
static bool is_preempted;
static uint64_t first_inside;
static uint64_t last_inside;

static void lose_one(void)
{
    regions_lose(&region, &region.lost, 1);
}

static void take_step(void)
{
    if (is_preempted)
        return;
    is_preempted = true;
    first_inside = regions_now();
    while (regions_now() == first_inside)
        continue;
    lose_one();
    last_inside = atomic_load(&region.last_loss);
}

TEST(sampler_losses, a_writer_that_comes_late_makes_no_time_of_loss_earlier)
{
    lose_one();
    CHECK(last_inside > first_inside, "the time stands still");
    CHECK(atomic_load(&region.last_loss) == last_inside,
          "the last loss is an earlier one");
    CHECK(atomic_load(&region.first_loss) <= first_inside,
          "the first loss is a later one");
    CHECK(atomic_load(&region.lost) == 2, "both are counted");
}
