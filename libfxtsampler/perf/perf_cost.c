/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_attr.h: how much of its time a thread loses to samples by perf events. */
#include "perf_attr.h"

#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "perf_call.h"
#include "perf_ring.h"

/* A sample costs tens of microseconds at most. */
enum { PERIOD_MAX_NS = 1000000, RUNS = 3, RUN_NS = 2000000, RING_BYTES = 1 << 20 };

/* How much work is done in a time that the thread runs, interruptions included; a CPU's
 * speed changes, so the best of several runs counts. */
static double work(struct perf_ring *ring, uint64_t run_ns)
{
    uint64_t begun = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    uint64_t now = begun;
    uint64_t n = 0;

    while (now - begun < run_ns) {
        const struct perf_event_header *record;

        for (volatile unsigned i = 0; i < 2000; i++)
            continue;
        n++;
        while (ring != NULL && (record = perf_ring_next(ring)) != NULL)
            perf_ring_drop(ring, record);
        now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    }
    return (double)n / (double)(now - begun);
}

static double max(double a, double b)
{
    return a > b ? a : b;
}

static uint32_t compare(int event, struct perf_ring *ring, uint64_t run_ns)
{
    double without = 0;
    double with = 0;

    for (int i = 0; i < RUNS; i++) {
        without = max(without, work(NULL, run_ns));
        ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
        with = max(with, work(ring, run_ns));
        ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
    }
    return with < without ? (uint32_t)((without - with) / without * 1000) : 0;
}

uint32_t perf_cost_measure(const struct perf_event_attr *attr, uint64_t period_ns)
{
    uint64_t run_ns = 4 * period_ns > RUN_NS ? 4 * period_ns : RUN_NS;
    struct perf_ring ring = {0};
    uint32_t cost = 0;
    int event;

    if (period_ns >= PERIOD_MAX_NS)
        return 0;
    event = perf_call_open(attr, 0, -1);
    if (event < 0)
        return 0;
    if (perf_ring_map(&ring, event, RING_BYTES)) {
        cost = compare(event, &ring, run_ns);
        perf_ring_unmap(&ring);
    }
    close(event);
    return cost;
}
