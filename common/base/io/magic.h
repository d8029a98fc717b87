/* SPDX-License-Identifier: BSD-2-Clause */
/* What a file is compressed with, by its first bytes. */
#ifndef BASE_IO_MAGIC_H
#define BASE_IO_MAGIC_H

#include <stddef.h>

/* This many bytes are enough to decide, if a file has as many. */
enum { MAGIC_BYTES = 6 };

/* The first byte of each part of a file that gzip or zstd has compressed. */
enum { MAGIC_GZIP = 0x1f, MAGIC_ZSTD = 0x28 };

/* What can be decompressed, zstd in builds that have it. */
enum compression { COMPRESSION_NONE, COMPRESSION_GZIP, COMPRESSION_ZSTD };

enum compression magic_compression(const unsigned char *bytes, size_t size);

/* The program that reads what is compressed, unless by gzip; NULL for anything else. */
const char *magic_find_other(const unsigned char *bytes, size_t size);

#endif
