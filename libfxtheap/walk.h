/* SPDX-License-Identifier: BSD-2-Clause */
/* The callers of an allocation, by fxt/unwind.h. */
#ifndef LIBFXTHEAP_WALK_H
#define LIBFXTHEAP_WALK_H

#include <stdint.h>

#include "maps.h"
#include "table.h"

/* Stores the return addresses from a frame of this thread on, at most `max`, in `pcs`,
 * and returns how many there are. */
uint64_t walk(struct code *code, struct table *table, const void *frame, uint64_t now_ns,
              uint64_t *pcs, uint64_t max);

#endif
