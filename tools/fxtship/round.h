/* SPDX-License-Identifier: BSD-2-Clause */
/* One round: what is complete is sent and removed, and what is too much is dropped. */
#ifndef FXTSHIP_ROUND_H
#define FXTSHIP_ROUND_H

#include "tools/clickhouse/send.h"

struct ship_options {
    /* First, as a converter's `own`. */
    struct send_options send;
    /* How many bytes of archives stay; UINT64_MAX for all. */
    uint64_t most;
};

/* The converter's run_own: its only input is the directory. */
int round_run(struct conversion *conversion);

#endif
