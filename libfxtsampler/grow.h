/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays that grow where no pool of memory is in use. */
#ifndef LIBFXTSAMPLER_GROW_H
#define LIBFXTSAMPLER_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more after the first `n` items of an array; `items` is the address
 * of its pointer. Returns false, and it stays as it is, if there is no memory. */
static inline bool grow_array(void *items, size_t n, size_t *capacity, size_t item_size)
{
    size_t larger = *capacity > 0 ? 2 * *capacity : 16;
    void *array;

    if (n < *capacity)
        return true;
    memcpy(&array, items, sizeof(array));
    array = realloc(array, larger * item_size);
    if (array == NULL)
        return false;
    memcpy(items, &array, sizeof(array));
    *capacity = larger;
    return true;
}

#endif
