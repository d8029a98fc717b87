/* SPDX-License-Identifier: BSD-2-Clause */
/* When the next point of a series is due: some time after the last one, or when the heaps
 * of all processes have grown or shrunk by some bytes since. */
#ifndef FXTHEAP_PACE_H
#define FXTHEAP_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "find.h"

/* One of them is not 0. */
struct series_step {
    uint64_t ns;
    uint64_t bytes;
};

struct pace {
    struct series_step step;
    /* By time: when the next one is due. By bytes: what there was at the last one. */
    uint64_t next_ns;
    uint64_t last_bytes;
    /* By bytes: the tables, as long as there are no other files in the directory. */
    const char *directory;
    struct found tables;
    uint64_t changed_ns;
};

/* All of `pace` but `step` and `directory` is zeros. */
void pace_start(struct pace *pace);

/* Whether one is due; if so, the next one is counted from here. */
bool pace_is_due(struct pace *pace);

/* How long to wait before that is asked again, `longest_ns` at most. */
uint64_t pace_wait_ns(const struct pace *pace, uint64_t longest_ns);

#endif
