/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a rule of a table says.
 *
 *     bit 31      1: a simple rule
 *     bit 30      the CFA is above the frame pointer, and not the stack pointer
 *     bits 28-29  where the return address is: enum unwind_return_place
 *     bits 15-27  how many words below the CFA the frame pointer was stored, 0 if it is
 *                 unchanged
 *     bits 0-14   how many words above; a walk waits for this, and no shift is needed
 *
 * A rule without bit 31 is a mark, or bit 30 and the index of an odd rule.
 */
#ifndef FXTUNWIND_UNWIND_RULE_H
#define FXTUNWIND_UNWIND_RULE_H

#include "unwind_table.h"

/* Nothing is known of this code. */
#define UNWIND_RULE_NONE UINT32_C(0)
/* The outermost frame. */
#define UNWIND_RULE_END UINT32_C(1)
/* The code that returns from a signal handler of Linux: the registers are at SP. */
#define UNWIND_RULE_SIGNAL UINT32_C(2)
/* There is a row, which is not supported. */
#define UNWIND_RULE_REFUSED UINT32_C(3)
/* The caller is on another stack. */
#define UNWIND_RULE_SWITCH UINT32_C(4)

#define UNWIND_RULE_SIMPLE (UINT32_C(1) << 31)
/* Of simple rules, and of others. */
#define UNWIND_RULE_FROM_FRAME (UINT32_C(1) << 30)
#define UNWIND_RULE_ODD (UINT32_C(1) << 30)

enum {
    UNWIND_WORD = 8,
    UNWIND_SLOT_SHIFT = 15,
    UNWIND_RETURN_SHIFT = 28,
    UNWIND_CFA_WORDS_MAX = (1 << 15) - 1,
    UNWIND_SLOT_WORDS_MAX = (1 << 13) - 1
};

enum unwind_return_place {
    /* In the link register. */
    UNWIND_RETURN_LINK = 0,
    /* In the word above the one with the frame pointer. */
    UNWIND_RETURN_ABOVE_FRAME = 1,
    /* Bits 15-27 say where, and the frame pointer is unchanged. */
    UNWIND_RETURN_SLOT = 2,
    /* In the word below the CFA. */
    UNWIND_RETURN_TOP = 3
};

static inline uint64_t unwind_rule_cfa_bytes(uint32_t rule)
{
    return (uint64_t)(rule & UNWIND_CFA_WORDS_MAX) * UNWIND_WORD;
}

static inline uint64_t unwind_rule_slot_bytes(uint32_t rule)
{
    return (uint64_t)(rule >> UNWIND_SLOT_SHIFT & UNWIND_SLOT_WORDS_MAX) * UNWIND_WORD;
}

static inline enum unwind_return_place unwind_rule_return(uint32_t rule)
{
    return (enum unwind_return_place)(rule >> UNWIND_RETURN_SHIFT & 3);
}

/* ---- Odd rules --------------------------------------------------------------------- */

/* How the value of a register in the caller is found. */
enum unwind_value_kind {
    /* It is unchanged. */
    UNWIND_SAME = 0,
    UNWIND_UNDEFINED = 1,
    /* It is in memory, at the CFA plus an offset; or it is that sum. */
    UNWIND_AT_CFA = 2,
    UNWIND_IS_CFA = 3,
    /* It is a register plus an offset. */
    UNWIND_REGISTER = 4,
    /* It is in memory, at an address that is the value of a DWARF expression; or it is
     * that value. */
    UNWIND_AT_EXPRESSION = 5,
    UNWIND_IS_EXPRESSION = 6
};

struct unwind_value {
    uint8_t kind;
    uint8_t number;
    /* Of the expression, which is at table->expressions + offset. */
    uint16_t size;
    int32_t offset;
};

struct unwind_odd {
    /* REGISTER or IS_EXPRESSION. */
    struct unwind_value cfa;
    struct unwind_value fp;
    struct unwind_value ra;
    /* The caller was interrupted, and did not call. */
    uint32_t is_signal;
};

/* Rules of table->saved: the register is unchanged, or is not known, or was stored so
 * many words below the CFA. */
#define UNWIND_SAVED_SAME UINT32_C(0)
#define UNWIND_SAVED_UNKNOWN UINT32_MAX

/* ---- Registers --------------------------------------------------------------------- */

enum { UNWIND_NO_REGISTER = 255 };

/* The DWARF numbers of a machine's registers. */
struct unwind_columns {
    uint8_t sp;
    uint8_t fp;
    /* The column of return addresses. */
    uint8_t ra;
    /* The register that a call stores the return address in; UNWIND_NO_REGISTER on
     * x86-64, where it is on the stack. */
    uint8_t link;
    /* The register that table->saved is about. */
    uint8_t saved;
};

static inline struct unwind_columns unwind_columns_of(uint32_t machine)
{
    switch (machine) {
    case UNWIND_AARCH64:
        return (struct unwind_columns){31, 29, 30, 30, UNWIND_NO_REGISTER};
    case UNWIND_RISCV64:
        return (struct unwind_columns){2, 8, 1, 1, UNWIND_NO_REGISTER};
    default:
        return (struct unwind_columns){7, 6, 16, UNWIND_NO_REGISTER, 3};
    }
}

#endif
