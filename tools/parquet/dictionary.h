/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The different values of a chunk, numbered in the order in which they came: a
 * string_table, which of values of one size needs not to know where each ends.
 */
#ifndef PARQUET_DICTIONARY_H
#define PARQUET_DICTIONARY_H

#include "common/base/string_table.h"

/* All zero is an empty one of values of any size. */
struct dictionary {
    /* The size of each value; 0 if they have different ones. */
    size_t fixed_bytes;
    struct string_table strings;
};

/* The number of a value, which is added unless it is there. */
uint32_t dictionary_add(struct dictionary *dictionary, const void *bytes, size_t size);

static inline size_t dictionary_count(const struct dictionary *d)
{
    return d->fixed_bytes > 0 ? d->strings.bytes.size / d->fixed_bytes : d->strings.n;
}

/* Valid until the next value is added. */
static inline struct string dictionary_get(const struct dictionary *d, uint32_t number)
{
    if (d->fixed_bytes == 0)
        return string_table_get(&d->strings, number);
    return (struct string){d->strings.bytes.data + number * d->fixed_bytes,
                           d->fixed_bytes};
}

/* How much memory it takes, roughly. */
size_t dictionary_bytes(const struct dictionary *dictionary);

/* Leaves an empty one. */
void dictionary_clear(struct dictionary *dictionary);

#endif
