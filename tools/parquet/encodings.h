/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How Parquet has values in pages (Encodings.md of its specification). Everything is
 * little-endian, and what is packed begins with the lowest bits.
 */
#ifndef PARQUET_ENCODINGS_H
#define PARQUET_ENCODINGS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/binary.h"

/* As the specification numbers them. */
enum parquet_encoding {
    PARQUET_PLAIN = 0,
    PARQUET_RLE = 3,
    PARQUET_DELTA_BINARY_PACKED = 5,
    PARQUET_RLE_DICTIONARY = 8
};

/* A signed number as a varint, with the sign in the lowest bit. */
void encode_zigzag(struct text *to, int64_t value);

/* How many bits such a value takes; 0 of 0. */
int encode_width(uint64_t value);

/* What is 0 or 1, as bits. */
void encode_bools(struct text *to, const uint64_t *values, size_t n);

/* The hybrid of runs and of packed values that have at most `width` bits, from 1 to 32.
 */
void encode_hybrid(struct text *to, const uint32_t *values, size_t n, int width);

/* DELTA_BINARY_PACKED, of at least one value. */
void encode_delta(struct text *to, const uint64_t *values, size_t n);

#endif
