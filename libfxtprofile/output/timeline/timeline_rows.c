/* SPDX-License-Identifier: BSD-2-Clause */
/* See timeline_rows.h. */
#include "timeline_rows.h"

enum { NS_PER_MS = 1000000 };

/* Both are in the order of time, but for samples without times. */
uint64_t timeline_start(const struct profile *p)
{
    uint64_t start = p->events.n > 0 ? p->events.events[0].time_ns : UINT64_MAX;

    if (timeline_count_rows(p) > 0 && timeline_row(p, 0).time_ns < start)
        start = timeline_row(p, 0).time_ns;
    return start != UINT64_MAX ? start : 0;
}

uint64_t timeline_interval(const struct profile *p)
{
    return p->period > 0 ? p->period : NS_PER_MS;
}
