/* SPDX-License-Identifier: BSD-2-Clause */
/* See options.h. */
#include "options.h"

#include <string.h>

bool options_copy(void *to, size_t size, const void *from)
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
