/* SPDX-License-Identifier: BSD-2-Clause */
/* See depths.h. */
#include "depths.h"

#include <math.h>

#include "tests/support/pick.h"

/* Close to a normal distribution with mean 0 and variance 1: the sum of twelve numbers
 * that are even between 0 and 1, less 6. */
static double pick_normal(void)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += (double)pick(1 << 20) / (1 << 20);
    return sum;
}

uint64_t depths_pick(void)
{
    double depth = 20 * exp(0.8 * pick_normal());

    if (depth < DEPTH_MIN)
        return DEPTH_MIN;
    return depth < DEPTH_MAX ? (uint64_t)depth : DEPTH_MAX;
}
