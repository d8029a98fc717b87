/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PCs, each of them once, with numbers: those that they came in. The stacks of a profile
 * are runs of such numbers, half as large as the PCs themselves.
 */
#ifndef TOOLS_PC_SET_H
#define TOOLS_PC_SET_H

#include <stddef.h>
#include <stdint.h>

#include "table.h"

/* All zero is an empty set. */
struct pc_set {
    uint64_t *pcs;
    size_t n;
    size_t capacity;
    /* What hashes begin with, best a number that no input can know. */
    uint64_t key;
    /* By which PCs are found: all, and those that were met lately. */
    struct table table;
    uint32_t *met;
};

/* Stores the numbers of PCs, of which there is one at least, at any address. Those that
 * are new are added. */
void pc_set_number(struct pc_set *set, const void *pcs, uint32_t *numbers, uint32_t n);

/* Ends the adding, and frees what that needs. */
void pc_set_forget(struct pc_set *set);

void pc_set_free(struct pc_set *set);

#endif
