/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stacks of some allocations, with the words that the walks have read: a program that
 * allocates where it did before, in calls of the same functions, has the same stack, and
 * it is enough to compare these words. From any thread, and from signal handlers.
 */
#ifndef LIBFXTHEAP_MEMO_H
#define LIBFXTHEAP_MEMO_H

#include <stdint.h>

#include "common/unwind/unwind_walk.h"
#include "walk.h"

enum { MEMO_BITS = 8, MEMO_WORDS = 40 };

/* One in so many stacks that have no other place replaces the one that is there: where
 * several take turns, one of them is found, and seldom is one stored in vain. */
enum { MEMO_TURNS = 4 };

/* Of 512 bytes. */
struct memo_entry {
    /* Odd while the others are written. */
    uint32_t sequence;
    /* 0 in one that was never used. */
    uint32_t stack;
    uint64_t top;
    uint64_t record;
    uint32_t n_refused;
    uint32_t n;
    /* Where the words are, in bytes above the record. */
    uint32_t offsets[MEMO_WORDS];
    uint64_t values[MEMO_WORDS];
};

/* Of a table, whose stacks they are. All zero has none. */
struct memo {
    struct memo_entry entries[1 << MEMO_BITS];
};

/* The stack of a walk from there; 0 if it is not known. */
uint32_t memo_find(const struct memo *memo, struct walk_start from);

/* What such a walk, which has just ended, has read, and its stack. */
void memo_add(struct memo *memo, struct walk_start from, const struct unwind_words *words,
              uint32_t stack);

#endif
