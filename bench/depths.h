/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Depths of stacks as programs have them: log-normal with median 20 and a long tail, cut
 * to 4 and 200. The mean is 27; one stack in ten has more than 55 PCs, one in a hundred
 * more than 130.
 */
#ifndef BENCH_DEPTHS_H
#define BENCH_DEPTHS_H

#include <stdint.h>

enum { DEPTH_MIN = 4, DEPTH_MAX = 200 };

/* The next depth; the same ones in every run. */
uint64_t depths_pick(void);

#endif
