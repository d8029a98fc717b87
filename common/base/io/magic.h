/* SPDX-License-Identifier: BSD-2-Clause */
/* What a file is compressed with, by its first bytes. */
#ifndef BASE_IO_MAGIC_H
#define BASE_IO_MAGIC_H

#include <stdbool.h>
#include <stddef.h>

/* This many bytes are enough to decide, if a file has as many. */
enum { MAGIC_BYTES = 6 };

/* The first byte of each member of a file that gzip has compressed. */
enum { MAGIC_GZIP = 0x1f };

bool magic_is_gzip(const unsigned char *bytes, size_t size);

/* The program that reads what is compressed in another way; NULL for anything else. */
const char *magic_find_other(const unsigned char *bytes, size_t size);

#endif
