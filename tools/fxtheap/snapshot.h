/* SPDX-License-Identifier: BSD-2-Clause */
/* A process's heap, as it was at a time. */
#ifndef FXTHEAP_SNAPSHOT_H
#define FXTHEAP_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

#include "find.h"
#include "common/processes/process_records.h"
#include "tools/fxtheap/table/table_copy.h"

struct snapshot {
    struct table_copy copy;
    struct clock_readings time;
    /* Until when it was recorded, by CLOCK_MONOTONIC; 0 if that is not known. */
    uint64_t recorded_until_ns;
    bool was_running;
    /* Its threads were stopped while it was read. */
    bool was_frozen;
};

/* Sums over blocks, or estimates of them where only samples are recorded. */
struct snapshot_totals {
    double objects;
    double bytes;
};

struct snapshot_totals snapshot_add_up(const struct table_copy *copy);

/* What is read of a table: its blocks; what its stacks had when the heap was largest; or
 * what they have, without single blocks. */
enum snapshot_kind { SNAPSHOT_BLOCKS, SNAPSHOT_PEAK, SNAPSHOT_AMOUNTS };

/* Reads a table; `snapshot` is zeros. If that fails, reports why and returns false. */
bool snapshot_read(const struct found_table *table, enum snapshot_kind kind,
                   struct snapshot *snapshot);

/* As in "about 3 objects, 500 bytes". */
void snapshot_add_text(struct text *text, struct snapshot_totals totals, bool is_sampled);

/* Report what is missing from a snapshot: for damage, and for lack of room. */
void snapshot_report_damage(const struct snapshot *snapshot);
void snapshot_report_losses(const struct snapshot *snapshot);

#endif
