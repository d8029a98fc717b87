/* SPDX-License-Identifier: BSD-2-Clause */
/* What gzip or zstd has compressed, as it was before, piece by piece. */
#ifndef BASE_IO_DECOMPRESS_H
#define BASE_IO_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "magic.h"

struct decompressor;

/* Whether this build has what it takes. */
bool decompressor_exists(enum compression compression);

/* Reads up to `size` bytes of compressed data. Returns 0 at their end, and after a
 * failure to read them. */
typedef size_t decompress_read_fn(void *context, void *to, size_t size);

/* Begins with compressed bytes that were read before. */
struct decompressor *decompressor_create(enum compression compression,
                                         decompress_read_fn *read, void *context,
                                         const void *first, size_t n_first);
void decompressor_free(struct decompressor *decompressor);

/* Writes the next bytes, up to `size` of them, which is not 0. Returns 0 at the end, and
 * after an error. What data refers back to takes up to 128 MiB; no more is allocated. */
size_t decompressor_read(struct decompressor *decompressor, void *to, size_t size);

/* Why the data ended early, or NULL. */
const char *decompressor_error(const struct decompressor *decompressor);

/* How many of the bytes that were read are still to be decompressed. */
size_t decompressor_rest(const struct decompressor *decompressor);

#endif
