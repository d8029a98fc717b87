/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many events samples stand for, where the kernel has chosen their weights: these are
 * approximate, so that they have to be compared with what it has counted.
 *
 * Events of CPUs count what others do, too, and sample it with the same weights: what
 * they have counted belongs to the targets as far as the weights do.
 */
#ifndef LIBFXTSAMPLER_EVENTS_WEIGHTS_H
#define LIBFXTSAMPLER_EVENTS_WEIGHTS_H

#include <stdint.h>

struct weights {
    /* Samples, and how many events they stand for. */
    uint64_t n;
    uint64_t sum;
};

struct weighed_source {
    /* The samples of the targets; those of them that are by events of CPUs; and all that
     * events of CPUs have taken. */
    struct weights all;
    struct weights by_cpus;
    struct weights of_cpus;
};

/* What the events of a source have counted, and how many samples were lost. */
struct perf_count {
    uint64_t counted;
    uint64_t lost;
};

static inline uint64_t part_of(uint64_t n, uint64_t part, uint64_t whole)
{
    return whole > 0 ? (uint64_t)((double)n * ((double)part / (double)whole)) : 0;
}

/* What the targets' part is of what the events of CPUs have counted and lost. */
static inline struct perf_count weights_share(const struct weighed_source *source,
                                              struct perf_count of_cpus)
{
    return (struct perf_count){
        part_of(of_cpus.counted, source->by_cpus.sum, source->of_cpus.sum),
        part_of(of_cpus.lost, source->by_cpus.n, source->of_cpus.n)};
}

/* What all samples stand for; those that were lost as much as the others. */
static inline uint64_t weights_sampled(const struct weighed_source *source, uint64_t lost)
{
    return source->all.sum + part_of(source->all.sum, lost, source->all.n);
}

#endif
