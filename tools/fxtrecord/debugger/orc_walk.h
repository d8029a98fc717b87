/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks of an x86-64 Linux kernel, by its ORC tables (orc_table.h). */
#ifndef FXTRECORD_DEBUGGER_ORC_WALK_H
#define FXTRECORD_DEBUGGER_ORC_WALK_H

#include "orc_table.h"

/* What a step needs; AX to R13 are known where the code was interrupted only. */
struct orc_registers {
    uint64_t pc;
    uint64_t sp;
    uint64_t bp;
    uint64_t ax;
    uint64_t dx;
    uint64_t di;
    uint64_t r10;
    uint64_t r13;
    bool has_others;
};

/* How a stack ended: the first two are whole. */
enum orc_end {
    ORC_AT_USER,
    ORC_AT_END,
    /* No rule for the PC: its code is not described, or is no code. */
    ORC_CUT_NO_RULE,
    /* A word could not be read. */
    ORC_CUT_MEMORY,
    /* The rule needs a register that is not known any more. */
    ORC_CUT_REGISTER,
    /* The caller's frame is not above this one. */
    ORC_CUT_BACKWARDS,
    /* There are more frames than asked for. */
    ORC_CUT_LONG,
    ORC_ENDS
};

struct orc_source {
    /* The rule for a PC; false if there is none. */
    bool (*find)(void *context, uint64_t pc, struct orc_rule *rule);
    /* A word of memory; false if it cannot be read. */
    bool (*read)(void *context, uint64_t address, uint64_t *word);
    void *context;
};

/* Whether a PC is the user's: the kernel has the upper half of all addresses. */
bool orc_is_user(uint64_t pc);

/* Walks from these registers, those of an interrupted CPU, and stores PCs, leaf first.
 * Where the user's code was interrupted or has called the kernel, its PC is the last one,
 * and `registers` are the user's then. `max_pcs` is at least 1. Returns how many. */
uint64_t orc_walk(const struct orc_source *source, struct orc_registers *registers,
                  uint64_t *pcs, uint64_t max_pcs, enum orc_end *end);

#endif
