/* SPDX-License-Identifier: BSD-2-Clause */
/* Compressing with zstd, in builds that have libzstd. */
#ifndef BASE_IO_ZSTD_H
#define BASE_IO_ZSTD_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/text.h"

/* What is compressed to one file: a frame. */
struct zstd;

/* Whether there is libzstd: only then are the others called. */
bool zstd_exists(void);

/* Has memory that is no pool's: zstd_free gives it back. */
struct zstd *zstd_create(void);
void zstd_free(struct zstd *zstd);

/* Adds data to `to`, compressed, as far as it does not wait for more. */
void zstd_add(struct zstd *zstd, const void *data, size_t size, struct text *to);

/* Adds a part to `to` that can be decompressed as soon as it is in the file; it refers
 * back to those before it, which makes it much smaller. Then call zstd_part_done, with
 * whether all of it is in the file or nothing; after a failure the next part begins
 * another frame. */
void zstd_add_part(struct zstd *zstd, const void *data, size_t size, struct text *to);
void zstd_part_done(struct zstd *zstd, bool is_written);

/* Adds what ends the frame; more data begins another one. */
void zstd_end(struct zstd *zstd, struct text *to);

#endif
