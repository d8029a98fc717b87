/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the clocks of providers are to each other, by the wall clock that initialization
 * records give for a tick. */
#ifndef FXTMERGE_CLOCK_H
#define FXTMERGE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/record.h>

/* When a provider's clock was zero, in nanoseconds since the Unix epoch, which can be
 * before it. Returns false if the provider gives no wall clock, or an impossible one. */
bool clock_zero(const struct fxt_provider *provider, int64_t *zero_ns);

/* A distance in ticks of a rate, rounded to the nearest; false if it is too large. */
bool clock_ticks(int64_t ns, uint64_t ticks_per_second, int64_t *ticks);

/* The sum, or the nearest number that there is; `*cut` is then set. */
uint64_t clock_add(uint64_t time, int64_t distance, bool *cut);

#endif
