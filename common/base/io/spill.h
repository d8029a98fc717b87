/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes that are kept until they are read once more: the last ones in memory, and those
 * before, once they were moved there, in a temporary file, so that memory does not grow
 * with the input.
 */
#ifndef BASE_IO_SPILL_H
#define BASE_IO_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

struct spill_file;

/* All zero is empty. */
struct spill {
    /* What is not in the file, to be added to. */
    struct text bytes;
    struct spill_file *file;
    /* How many bytes are in the file. */
    uint64_t n_filed;
};

/* Moves all bytes in memory to the file. Returns false if there is no room for them, or
 * no temporary file at all: they stay in memory. */
bool spill_move(struct spill *spill);

static inline uint64_t spill_size(const struct spill *spill)
{
    return spill->n_filed + spill->bytes.size;
}

/* Stores bytes from an offset on, `size` of them or as many as are in the same place, one
 * at least. Returns how many. The offset is below spill_size. */
size_t spill_read(const struct spill *spill, uint64_t offset, void *to, size_t size);

void spill_free(struct spill *spill);

#endif
