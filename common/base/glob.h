/* SPDX-License-Identifier: BSD-2-Clause */
/* Shell patterns for names that may hold any bytes, zero bytes included. */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the pattern matches all of the `size` bytes at `name`: `*` stands for any
 * bytes, `?` for one, `[a-z]` for one of a set, `[!a-z]` or `[^a-z]` for one that is not
 * in it, and a backslash escapes the character after it. A `[` that is not closed matches
 * itself. There is no locale: a byte is a byte.
 *
 * The time is at worst proportional to the product of both sizes, for any pattern.
 */
bool glob_matches(const char *pattern, const char *name, size_t size);

#endif
