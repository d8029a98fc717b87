/* SPDX-License-Identifier: BSD-2-Clause */
/* How pages are compressed. */
#ifndef PARQUET_CODEC_H
#define PARQUET_CODEC_H

#include <stdbool.h>

#include "common/base/text.h"

/* As the specification numbers them. */
enum parquet_codec { PARQUET_UNCOMPRESSED = 0, PARQUET_GZIP = 2, PARQUET_ZSTD = 6 };

/* Whether this build has it. */
bool codec_is_there(enum parquet_codec codec);

/* Replaces what is in `to` by `from` compressed, by a codec that is there. */
void codec_compress(enum parquet_codec codec, const struct text *from, struct text *to);

#endif
