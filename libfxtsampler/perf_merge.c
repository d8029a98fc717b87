/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_merge.h. */
#include "perf_merge.h"

#include "perf_record.h"

static uint64_t time_of_next(struct perf_ring *ring)
{
    const struct perf_event_header *record =
        ring->page != NULL ? perf_ring_next(ring) : NULL;

    return record != NULL ? perf_read_time(record) : UINT64_MAX;
}

static uint32_t find_first(const uint64_t *next, uint32_t n)
{
    uint32_t first = 0;

    for (uint32_t cpu = 1; cpu < n; cpu++) {
        if (next[cpu] < next[first])
            first = cpu;
    }
    return first;
}

void perf_merge(struct perf_ring *rings, uint64_t *next, uint32_t n, uint64_t before,
                perf_merge_fn *take, void *context)
{
    for (uint32_t cpu = 0; cpu < n; cpu++)
        next[cpu] = time_of_next(&rings[cpu]);
    for (;;) {
        uint32_t cpu = find_first(next, n);
        const struct perf_event_header *record;

        if (next[cpu] >= before)
            return;
        record = perf_ring_next(&rings[cpu]);
        if (!take(context, cpu, record))
            perf_ring_drop(&rings[cpu], record);
        next[cpu] = time_of_next(&rings[cpu]);
    }
}
