/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distinct PCs, numbered in the order of their first occurrence. The stacks of a profile
 * are runs of such numbers, half as large as the PCs themselves. What a PC is found to be
 * depends on whether it is a stack's leaf or a caller; one that is both has two numbers.
 */
#ifndef FXTPROFILE_PROFILE_STACKS_PC_SET_H
#define FXTPROFILE_PROFILE_STACKS_PC_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/table.h"

/* All zero is an empty set. */
struct pc_set {
    uint64_t *pcs;
    bool *is_leaf;
    /* The first of a run may be a name, of the 2^32 numbers from `first_name` on: then
     * the second one is the leaf. */
    bool has_names;
    uint64_t first_name;
    size_t n;
    size_t capacity;
    size_t leaf_capacity;
    /* The seed of hashes, which should be unpredictable. */
    uint64_t key;
    /* The hash table of all PCs, and a cache of recent callers. */
    struct table table;
    uint32_t *met;
};

/* The PCs of a stack, of which there is one at least, leaf first and at any address; and
 * where their numbers go. */
struct pc_run {
    const unsigned char *pcs;
    uint32_t *numbers;
    uint32_t n;
};

/* Stores the numbers of the PCs of some stacks. Those that are new are added. */
void pc_set_number(struct pc_set *set, const struct pc_run *runs, uint32_t n_runs);

/* Adds the PCs of another set; the number here of each of its numbers, for the caller to
 * free. */
uint32_t *pc_set_merge(struct pc_set *set, const struct pc_set *from);

/* The numbers in the order of their PCs, callers first, for the caller to free. */
uint32_t *pc_set_sort(const struct pc_set *set);

/* Ends the adding, and frees what that needs. */
void pc_set_forget(struct pc_set *set);

void pc_set_free(struct pc_set *set);

#endif
