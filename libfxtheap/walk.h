/* SPDX-License-Identifier: BSD-2-Clause */
/* The callers of an allocation, by unwind tables. */
#ifndef LIBFXTHEAP_WALK_H
#define LIBFXTHEAP_WALK_H

#include <stdint.h>

#include "maps.h"
#include "table.h"

/* Stores the return addresses from that of a function of this library on, which the
 * program has called, at most `max`, in `pcs`, and returns how many there are. `top` is
 * where its frame ends (HEAP_FRAME). New code is noted in the table. */
uint64_t walk(struct code *code, struct table *table, const void *top, uint64_t now_ns,
              uint64_t *pcs, uint64_t max);

#endif
