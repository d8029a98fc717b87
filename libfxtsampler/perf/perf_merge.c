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

static void look_at_all(struct perf_ring *rings, uint64_t *next, uint32_t n)
{
    for (uint32_t cpu = 0; cpu < n; cpu++)
        next[cpu] = time_of_next(&rings[cpu]);
}

void perf_merge(struct perf_ring *rings, uint64_t *next, uint32_t n, uint64_t before,
                perf_merge_fn *take, void *context)
{
    enum perf_taken taken = PERF_TAKEN_OUT;

    for (;;) {
        const struct perf_event_header *record;
        uint32_t cpu;

        if (taken == PERF_TAKEN_OUT)
            look_at_all(rings, next, n);
        cpu = find_first(next, n);
        if (next[cpu] >= before)
            return;
        record = perf_ring_next(&rings[cpu]);
        taken = take(context, cpu, record);
        if (taken == PERF_LEFT)
            return;
        if (taken == PERF_TAKEN)
            perf_ring_drop(&rings[cpu], record);
        next[cpu] = time_of_next(&rings[cpu]);
    }
}
