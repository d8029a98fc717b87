/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an archive says of how it was recorded: an instant event `recording` of category
 * `fxtrecord`, as fxtrecord writes it, has the time between two samples in an argument
 * `period_ns`.
 */
#ifndef TOOLS_RECORDING_H
#define TOOLS_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/record.h>

/* All zero knows nothing. */
struct recording {
    /* 0 where nobody said; also if several said different things. */
    uint64_t period_ns;
    bool periods_differ;
};

/* Takes an event, if it is one that this is about. */
void recording_take(struct recording *recording, const struct fxt_record *record);

#endif
