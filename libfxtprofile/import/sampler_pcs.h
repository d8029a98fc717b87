/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the PCs of samplers mean. A stack's first PC is the instruction that was
 * interrupted, and the others are return addresses; but Zircon's sampler for arm64 took
 * 4, the size of an instruction, off the first PC, and until 2025, when samples were
 * large blobs, off the second, too. That one was the link register: where the function
 * that was interrupted had its frame, the third PC is the same return address again.
 *
 * Nothing in a record says which machine it is from.
 */
#ifndef FXTPROFILE_IMPORT_SAMPLER_PCS_H
#define FXTPROFILE_IMPORT_SAMPLER_PCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "libfxtprofile/profile/profile_builder.h"

/* Room for a stack. All zero is none. */
struct sampler_pcs {
    uint64_t *pcs;
    size_t capacity;
};

/* A stack of a large blob of Zircon's on arm64 as others would have recorded it: its
 * callers are return addresses, and none stands twice. The result is in `room`, and valid
 * until the next call; callers that stood twice are counted. The first PC stays: 4 less
 * is still what was running, unless a function was interrupted at its very start. */
struct fxt_words sampler_pcs_restore(struct sampler_pcs *room, struct fxt_words pcs,
                                     uint64_t *n_twice);

/* Whether many stacks have a caller twice in that way, which is no chance. Before the
 * samples are located. */
bool sampler_pcs_look_restorable(const struct profile_builder *builder);

#endif
