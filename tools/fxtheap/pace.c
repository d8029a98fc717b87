/* SPDX-License-Identifier: BSD-2-Clause */
/* See pace.h. */
#include "pace.h"

#include <sys/stat.h>

#include "common/base/clock.h"
#include "tools/fxtheap/table/table_peak.h"

/* How often bytes are looked at: a process grows by megabytes in this time. */
#define LOOK_NS UINT64_C(1000000)

/* Times of directories are as exact as this. */
#define DIRECTORY_NS UINT64_C(20000000)

void pace_start(struct pace *pace)
{
    pace->next_ns = clock_ns(CLOCK_MONOTONIC) + pace->step.ns;
}

/* ---- Bytes ------------------------------------------------------------------------- */

/* A directory changes when a process makes its table, and when that is removed; and may
 * have changed again at the same time. */
static void find_again(struct pace *pace)
{
    struct stat status;
    uint64_t changed;

    if (stat(pace->directory, &status) != 0)
        return;
    changed = file_time_ns(&status);
    if (changed == pace->changed_ns)
        return;
    found_free(&pace->tables);
    find_tables(&pace->tables, pace->directory, FIND_REMOVE_NONE);
    pace->changed_ns = clock_ns(CLOCK_REALTIME) - changed > DIRECTORY_NS ? changed : 0;
}

static uint64_t add_up(struct pace *pace)
{
    uint64_t sum = 0;

    find_again(pace);
    for (size_t i = 0; i < pace->tables.n; i++) {
        uint64_t bytes;

        if (table_read_total(pace->tables.all[i].file, &bytes))
            sum += bytes;
    }
    return sum;
}

static bool has_changed(struct pace *pace)
{
    uint64_t bytes = add_up(pace);
    uint64_t change =
        bytes > pace->last_bytes ? bytes - pace->last_bytes : pace->last_bytes - bytes;

    if (change < pace->step.bytes)
        return false;
    pace->last_bytes = bytes;
    return true;
}

/* ---- Either ------------------------------------------------------------------------ */

bool pace_is_due(struct pace *pace)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);

    if (pace->step.ns == 0)
        return has_changed(pace);
    if (now < pace->next_ns)
        return false;
    /* What has become late is left out. */
    pace->next_ns += ((now - pace->next_ns) / pace->step.ns + 1) * pace->step.ns;
    return true;
}

uint64_t pace_wait_ns(const struct pace *pace, uint64_t longest_ns)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    uint64_t wait = LOOK_NS;

    if (pace->step.ns > 0)
        wait = pace->next_ns > now ? pace->next_ns - now : 0;
    return wait < longest_ns ? wait : longest_ns;
}
