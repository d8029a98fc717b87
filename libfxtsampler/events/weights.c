/* SPDX-License-Identifier: BSD-2-Clause */
/* See weights.h. */
#include "weights.h"

static uint64_t part_of(uint64_t n, uint64_t part, uint64_t whole)
{
    return whole > 0 ? (uint64_t)((double)n * ((double)part / (double)whole)) : 0;
}

struct perf_count weights_share(const struct weighed_source *source,
                                struct perf_count of_cpus)
{
    return (struct perf_count){
        part_of(of_cpus.counted, source->by_cpus.sum, source->of_cpus.sum),
        part_of(of_cpus.lost, source->by_cpus.n, source->of_cpus.n)};
}

uint64_t weights_sampled(const struct weighed_source *source, uint64_t lost)
{
    return source->all.sum + part_of(source->all.sum, lost, source->all.n);
}
