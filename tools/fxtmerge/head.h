/* SPDX-License-Identifier: BSD-2-Clause */
/* What the first records of an archive say of its machine and its clock, before any of
 * them is merged. */
#ifndef FXTMERGE_HEAD_H
#define FXTMERGE_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/io/input.h"

enum { HEAD_BOOT_ID_MAX = 64 };

struct head {
    /* Identifies the boot of the machine, as fxtrecord writes it; empty if unknown. */
    char boot_id[HEAD_BOOT_ID_MAX];
    /* The clock of the first provider that has a wall clock; see clock.h. */
    bool has_zero;
    int64_t zero_ns;
    /* fxt/trace.h has written it: what each thread did in one chunk after the other. */
    bool in_turns;
};

/* Reads ahead in the input, and consumes nothing. */
void head_read(struct head *head, struct input *input);

#endif
