/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk, and how it reads memory and registers. */
#ifndef FXTUNWIND_UNWIND_STATE_H
#define FXTUNWIND_UNWIND_STATE_H

#include <fxt/compiler.h>

#include "unwind_rule.h"
#include "unwind_walk.h"

struct unwind_state {
    const struct unwind_start *start;
    const struct unwind_space *space;
    struct unwind_columns columns;
    uint64_t signature_bits;

    /* The frame. */
    uint64_t pc;
    uint64_t sp;
    uint64_t fp;
    /* The value of the register that table->saved is about. */
    uint64_t saved;
    bool has_saved;
    /* The frame was interrupted, and did not call: pc is exact, and all of `registers`
     * are the frame's, if they are not NULL. */
    bool is_exact;
    const struct unwind_registers *registers;
    /* A signal's handler had a separate stack: that of the frame is in no chunk. */
    bool is_elsewhere;

    /* The chunk that was read last: addresses less than `span` above `low` begin a word
     * in it. */
    uint64_t low;
    uint64_t span;
    const unsigned char *bytes;

    uint64_t *pcs;
    uint32_t n;
    uint32_t max;
    uint32_t first_guess;
    /* How many PCs there were when a frame record was followed last; UINT32_MAX if none
     * was. */
    uint32_t n_at_record;

    /* How it ended. */
    enum unwind_end end;
    uint64_t address;

    /* What a signal interrupted. */
    struct unwind_registers interrupted;
};

/* Where a PC's rule is: a call may be the last instruction of a function. */
static inline uint64_t state_lookup_pc(const struct unwind_state *s)
{
    return s->pc - !s->is_exact;
}

static inline uint64_t unwind_strip(uint64_t signature_bits, uint64_t pc)
{
    return (pc >> 55 & 1) != 0 ? pc | signature_bits : pc & ~signature_bits;
}

/* A word of a stack, which belongs to no object that the compiler knows. For functions
 * that are not sanitized either. */
static inline FXT_NO_SANITIZE uint64_t unwind_word(const unsigned char *bytes)
{
    uint64_t word;

    FXT_COPY(&word, bytes, sizeof(word));
    FXT_FORGET_ORIGIN(word);
    return FXT_HOST_IS_BIG_ENDIAN ? FXT_SWAP64(word) : word;
}

/* Makes the chunk that a word is in the current one. */
bool state_find_chunk(struct unwind_state *s, uint64_t address);

/* Loads a word; returns false, and says how the stack ends, if it is in no chunk. */
bool state_load(struct unwind_state *s, uint64_t address, uint64_t *word);

/* The value of a register of the frame, if it is known. */
bool state_register(const struct unwind_state *s, uint64_t number, uint64_t *value);

/* Ends the walk. */
static inline bool state_end(struct unwind_state *s, enum unwind_end end,
                             uint64_t address)
{
    s->end = end;
    s->address = address;
    return false;
}

#endif
