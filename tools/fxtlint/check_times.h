/* SPDX-License-Identifier: BSD-2-Clause */
/* Times that run backwards within a thread, and those that no number of nanoseconds of
 * 63 bits can hold. */
#ifndef FXTLINT_CHECK_TIMES_H
#define FXTLINT_CHECK_TIMES_H

#include <fxt/record.h>

#include "common/spans/span_keys.h"
#include "findings.h"

struct check_times {
    struct findings *findings;
    struct span_thread_set threads;
    /* The latest time of each. */
    uint64_t *latest;
    size_t capacity;
    bool is_full;
};

void check_times(struct check_times *check, const struct fxt_record *record);
void check_times_free(struct check_times *check);

#endif
