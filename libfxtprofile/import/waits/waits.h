/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time for which threads did not run, from the scheduling records of any trace: as
 * off-CPU time by what the thread was doing, or as the latency of wakeups by the thread
 * that woke it.
 *
 * Off-CPU time: the stack of the thread when it was switched out, if the trace has it,
 * and as its leaf what the thread waited for: "[blocked]" or "[suspended]" until it was
 * woken, and "[runnable]" from then on, or from when it was preempted.
 *
 * Of wall-clock time, samples of running threads are beside these: see collect.h.
 *
 * Wakeups: two frames, the thread that was woken and the leaf, which is the thread that
 * woke it, "[unknown waker]" where the record does not say. The time is that from the
 * wakeup until the thread ran.
 */
#ifndef FXTPROFILE_IMPORT_WAITS_WAITS_H
#define FXTPROFILE_IMPORT_WAITS_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "libfxtprofile/profile/filter.h"
#include "libfxtprofile/profile/mappings/epochs.h"
#include "libfxtprofile/profile/profile_builder.h"
#include "common/scheduling/sched_log.h"
#include "wait_stacks.h"
#include "wait_tally.h"

/* All zero is an empty one but for what the caller wants: the latency of wakeups and not
 * off-CPU time; and waits of at least this time. */
struct waits {
    bool of_wakeups;
    uint64_t min_ns;

    struct wait_tally tally;
    struct sched_traces traces;
    struct wait_stacks stacks;
};

/* Takes a record, if it matters here. Returns whether it does, and stores its time. */
bool waits_take(struct waits *waits, const struct fxt_record *record);

/* Stores which process a thread is of, where such a record says so. */
void waits_take_processes(struct koid_names *names, const struct fxt_record *record);

/* Where the waits go; and what is counted of those that are of other times. */
struct waits_output {
    struct profile_builder *builder;
    const struct epochs *epochs;
    /* NULL for all times. */
    const struct time_window *window;
    uint64_t n_waits;
    uint64_t n_other_time;
    uint64_t other_time_ns;
    /* Of a time that is too large for a value. */
    uint64_t n_long;
};

/* After the last record: adds all waits to the profile, and counts them. The names of
 * threads and the epochs of processes are finished. */
void waits_finish(struct waits *waits, struct waits_output *output);

void waits_free(struct waits *waits);

#endif
