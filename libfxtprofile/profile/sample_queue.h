/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples that were added and not yet looked up. The slot of a stack is anywhere in
 * memory: it is prefetched when the sample is queued, and has arrived when the sample is
 * looked up, a few samples later.
 */
#ifndef FXTPROFILE_PROFILE_SAMPLE_QUEUE_H
#define FXTPROFILE_PROFILE_SAMPLE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fingerprint.h"
#include "pc_set.h"
#include "profile.h"

enum { SAMPLE_QUEUE_MAX = 32 };

struct queued_sample {
    /* Of its stack. */
    struct fingerprint print;
    /* Its PCs, at any alignment. */
    const unsigned char *pcs;
    uint32_t n;
    uint32_t epoch;
    uint32_t end;
    uint32_t labels;
    /* It goes to the log, with this time. */
    bool is_logged;
    uint64_t time_ns;
    int64_t values[PROFILE_TYPES_MAX];
};

/* All zero is an empty one. */
struct sample_queue {
    struct queued_sample samples[SAMPLE_QUEUE_MAX];
    uint32_t n;
    /* Those that were looked up and have a new stack, whose PCs have no numbers yet. */
    struct pc_run new_runs[SAMPLE_QUEUE_MAX];
    uint32_t n_new_runs;
    /* Copies of the PCs that the caller does not keep. */
    uint64_t *copied_pcs;
    size_t n_copied_pcs;
    size_t copied_pc_capacity;
};

#endif
