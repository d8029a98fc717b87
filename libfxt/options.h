/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Structs that begin with their size, of callers that were compiled for this version, or
 * for another. libfxtprofile includes this, too.
 */
#ifndef LIBFXT_OPTIONS_H
#define LIBFXT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/*
 * Copies a struct of options that begins with its size, a size_t, to one of `size` bytes;
 * members that the caller's struct lacks become zero. Returns false if it has no room for
 * its own size, or has members that this version does not know and that are not zero.
 */
static inline bool options_copy(void *to, size_t size, const void *from)
{
    const unsigned char *bytes = (const unsigned char *)from;
    size_t from_size;

    memcpy(&from_size, from, sizeof(from_size));
    if (from_size < sizeof(from_size))
        return false;
    for (size_t i = size; i < from_size; i++) {
        if (bytes[i] != 0)
            return false;
    }
    memset(to, 0, size);
    memcpy(to, from, from_size < size ? from_size : size);
    return true;
}

/*
 * The reverse, for results: copies `size` bytes to a caller's struct, whose size is kept;
 * members that this version does not know become zero. Returns false if it has no room
 * for its own size.
 */
static inline bool results_copy(void *to, const void *from, size_t size)
{
    size_t to_size;

    memcpy(&to_size, to, sizeof(to_size));
    if (to_size < sizeof(to_size))
        return false;
    memset(to, 0, to_size);
    memcpy(to, from, to_size < size ? to_size : size);
    memcpy(to, &to_size, sizeof(to_size));
    return true;
}

#endif
