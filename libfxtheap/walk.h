/* SPDX-License-Identifier: BSD-2-Clause */
/* The callers of an allocation, by unwind tables. */
#ifndef LIBFXTHEAP_WALK_H
#define LIBFXTHEAP_WALK_H

#include <stdint.h>

#include "common/unwind/unwind_walk.h"
#include "maps.h"
#include "table.h"

/* The function of this library that the program has called: where its frame ends
 * (HEAP_FRAME), and its frame record, which is two words: the frame pointer that its
 * caller had, and the return address. */
struct walk_start {
    uint64_t top;
    uint64_t record;
};

enum { WALK_RETURN = sizeof(uintptr_t) };

struct walk_start walk_begin(const void *top);

/* Stores the return addresses from that of the function on, at most `max`, in `pcs`, and
 * returns how many there are; the words as in struct unwind_start; and the state. New
 * code is noted in the table. */
uint64_t walk(struct code *code, struct table *table, struct walk_start from,
              uint64_t now_ns, struct unwind_words *words, uint64_t *pcs, uint64_t max,
              struct heap_stack_state *state);

#endif
