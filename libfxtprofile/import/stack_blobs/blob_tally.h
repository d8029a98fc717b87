/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of raw stacks that are lost, or not known in full. */
#ifndef FXTPROFILE_IMPORT_STACK_BLOBS_BLOB_TALLY_H
#define FXTPROFILE_IMPORT_STACK_BLOBS_BLOB_TALLY_H

#include <stdint.h>

struct blob_tally {
    /* Not in the profile: a register block of a size that no known machine has, or that
     * is cut off; of a big-endian trace or read on a big-endian machine; there was no
     * room to keep them; or the mappings change too often. */
    uint64_t n_unknown_machine;
    uint64_t n_no_registers;
    uint64_t n_byte_order;
    uint64_t n_no_room;
    uint64_t n_mappings;
    /* In the profile, but with less memory than they state; with a part in restricted
     * mode whose caller in normal mode was not reached; and of 32-bit programs, of which
     * only the first PC is known. */
    uint64_t n_short;
    uint64_t n_gaps;
    uint64_t n_32_bit;
};

/* How many raw stacks are not in the profile. */
static inline uint64_t blob_tally_lost(const struct blob_tally *t)
{
    return t->n_unknown_machine + t->n_no_registers + t->n_byte_order + t->n_no_room +
           t->n_mappings;
}

#endif
