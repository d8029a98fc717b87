/* SPDX-License-Identifier: BSD-2-Clause */
/* One in N of what is alike: events of the same thread, kind, category and name, and
 * messages and samples of the same thread. */
#ifndef FXTCUT_THIN_H
#define FXTCUT_THIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "common/base/table.h"

struct thin_count {
    /* A hash of what is alike. */
    uint64_t key;
    uint64_t n;
};

struct thin {
    /* 0 and 1 keep everything. */
    uint64_t every;
    struct thin_count *counts;
    size_t n;
    size_t capacity;
    struct table table;
};

/* Counts a record, and returns whether it is kept: the first of its kind, and each N-th
 * after it. What is not counted is kept. */
bool thin_takes(struct thin *thin, const struct fxt_record *record);

void thin_free(struct thin *thin);

#endif
