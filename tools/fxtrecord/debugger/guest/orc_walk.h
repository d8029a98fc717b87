/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks of an x86-64 Linux kernel, by its ORC tables (orc_table.h). */
#ifndef FXTRECORD_DEBUGGER_GUEST_ORC_WALK_H
#define FXTRECORD_DEBUGGER_GUEST_ORC_WALK_H

#include "guest_end.h"
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

struct orc_source {
    /* The rule for a PC; false if there is none. */
    bool (*find)(void *context, uint64_t pc, struct orc_rule *rule);
    /* A word of memory; false if it cannot be read. */
    bool (*read)(void *context, uint64_t address, uint64_t *word);
    void *context;
};

/* Walks from these registers, those of an interrupted CPU, and stores PCs, leaf first.
 * Where the user's code was interrupted or has called the kernel, its PC is the last one,
 * and `registers` are the user's then. `max_pcs` is at least 1. Returns how many. */
uint64_t orc_walk(const struct orc_source *source, struct orc_registers *registers,
                  uint64_t *pcs, uint64_t max_pcs, enum guest_end *end);

#endif
