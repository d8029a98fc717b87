/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks that are made up, in the machine's own form, and walks over them. */
#ifndef TESTS_EMITTER_MADE_UP_H
#define TESTS_EMITTER_MADE_UP_H

#include <stdbool.h>
#include <string.h>

/* These stacks have frame records even where the machine's own are not known. */
#define FXT_UNWIND_HAS_RECORDS 1
#include <fxt/unwind.h>

#include "tests/support/equal.h"

enum { WORD = sizeof(uintptr_t), ROOM = 32 };

/* What the frame pointer register holds for a frame record at an address. */
static inline uintptr_t frame_at(uintptr_t record)
{
    return record + (0 - FXT_UNWIND_RECORD((uintptr_t)0));
}

/* What a return address is stored as. */
static inline uint64_t pc_of(uintptr_t word)
{
    return FXT_UNWIND_RETURN(word);
}

/* ---- Two ways ---------------------------------------------------------------------- */

static inline bool accept(void *context, uintptr_t pc)
{
    (void)context;
    (void)pc;
    return true;
}

/* A walk with nothing but a stack, and then one that could have everything: they must
 * agree. */
static inline uint64_t walk_both_ways(const struct fxt_unwind *from, uint64_t *pcs,
                                      uint64_t max_pcs)
{
    struct fxt_unwind slow = *from;
    uint64_t slow_pcs[ROOM + 1];
    enum fxt_unwind_stop why;
    enum fxt_unwind_stop slow_why;
    uint64_t n = fxt_unwind_walk_why(from, pcs, max_pcs, &why);

    slow.is_code = accept;
    CHECK_EQ(fxt_unwind_walk_why(&slow, slow_pcs, max_pcs, &slow_why), n);
    CHECK_EQ(slow_why, why);
    CHECK_BYTES(slow_pcs, pcs, n * sizeof(*pcs));
    return n;
}

/* ---- Stacks ------------------------------------------------------------------------ */

struct made_up {
    uintptr_t words[64];
    /* The part of it that is the stack, in words. */
    size_t low;
    size_t high;
    uint64_t pcs[ROOM];
};

static inline uintptr_t address_of(const struct made_up *stack, size_t index)
{
    return (uintptr_t)&stack->words[index];
}

/* Puts a frame record at a word; `caller` is the word of the next one. */
static inline void put_record(struct made_up *stack, size_t index, size_t caller,
                              uintptr_t pc)
{
    stack->words[index] = frame_at(address_of(stack, caller));
    stack->words[index + 1] = pc;
}

static inline struct fxt_unwind start_at(const struct made_up *stack, uintptr_t record)
{
    return (struct fxt_unwind){
        .pc = 0x1000,
        .frame = frame_at(record),
        .stack_low = address_of(stack, stack->low),
        .stack_high = address_of(stack, stack->high),
    };
}

/* Walks from the record at an address and returns how many PCs it found. */
static inline uint64_t walk_from(struct made_up *stack, uintptr_t record)
{
    struct fxt_unwind from = start_at(stack, record);

    memset(stack->pcs, 0, sizeof(stack->pcs));
    return walk_both_ways(&from, stack->pcs, ROOM);
}

static inline uint64_t walk(struct made_up *stack, size_t index)
{
    return walk_from(stack, address_of(stack, index));
}

/* Three records in words 10, 20 and 40 of a stack of words 8 to 48; no caller beyond. */
static inline void make_three(struct made_up *stack)
{
    memset(stack, 0, sizeof(*stack));
    stack->low = 8;
    stack->high = 48;
    put_record(stack, 10, 20, 0x2000);
    put_record(stack, 20, 40, 0x3000);
    stack->words[40] = 0;
    stack->words[41] = 0x4000;
}

#endif
