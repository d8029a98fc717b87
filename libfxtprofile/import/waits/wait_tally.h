/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits that are not in a profile, or not completely. */
#ifndef FXTPROFILE_IMPORT_WAITS_WAIT_TALLY_H
#define FXTPROFILE_IMPORT_WAITS_WAIT_TALLY_H

#include <stdint.h>

struct wait_tally {
    /* Context switches, without which there are no waits. */
    uint64_t n_switches;
    /* Shorter than asked for. */
    uint64_t n_short;
    uint64_t short_ns;
    /* A switch in between is missing. */
    uint64_t n_unknown;
    uint64_t unknown_ns;
    /* They had not ended with the trace: of these the time up to then counts, unless the
     * profile is of wakeups. */
    uint64_t n_open;
    /* Threads ran after they had blocked without a wakeup. */
    uint64_t n_without_wakeup;
    /* Records that cannot be used; switches that contradict the one before; reports of
     * dropped records; buffers that were full. */
    uint64_t n_unusable;
    uint64_t n_lost;
    uint64_t n_drops;
    uint64_t n_full;
};

#endif
