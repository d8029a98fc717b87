/* SPDX-License-Identifier: BSD-2-Clause */
/* Options passed by a caller that was compiled for this version, or for another. */
#ifndef LIBFXT_OPTIONS_H
#define LIBFXT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Copies a struct of options that begins with its size, a size_t, to one of `size` bytes;
 * what the caller's has not is zero. Returns false if it has no room for its own size, or
 * has members that this version does not know and that are not zero.
 */
bool options_copy(void *to, size_t size, const void *from);

#endif
