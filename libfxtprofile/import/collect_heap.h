/* SPDX-License-Identifier: BSD-2-Clause */
/* What the collecting of records does with heaps. */
#ifndef FXTPROFILE_IMPORT_COLLECT_HEAP_H
#define FXTPROFILE_IMPORT_COLLECT_HEAP_H

#include <stdbool.h>

#include "collect.h"

/* Takes a large blob if it is a piece of a snapshot, and heaps are of interest. */
bool collect_heap_take(struct collect *collect, const struct fxt_record *record);

/* Takes an event if it is about a snapshot. */
void collect_heap_event(struct collect *collect, const struct fxt_record *record);

/* Heaps are what the profile is of, unless there is anything else. */
void collect_heap_finish(struct collect *collect);

#endif
