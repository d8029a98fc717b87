/* SPDX-License-Identifier: BSD-2-Clause */
/* See dictionary.h. */
#include "dictionary.h"

#include <string.h>

static uint32_t add_fixed(struct dictionary *d, const void *bytes)
{
    uint64_t hash = hash_bytes(bytes, d->fixed_bytes);
    struct table_probe probe = table_probe(&d->strings.table, hash);
    uint32_t number;

    while (table_next(&d->strings.table, &probe, &number)) {
        if (memcmp(d->strings.bytes.data + number * d->fixed_bytes, bytes,
                   d->fixed_bytes) == 0)
            return number;
    }
    number = (uint32_t)dictionary_count(d);
    table_add(&d->strings.table, hash, number);
    text_add(&d->strings.bytes, bytes, d->fixed_bytes);
    return number;
}

uint32_t dictionary_add(struct dictionary *d, const void *bytes, size_t size)
{
    if (d->fixed_bytes > 0)
        return add_fixed(d, bytes);
    return string_table_add(&d->strings, (const char *)bytes, size);
}

size_t dictionary_bytes(const struct dictionary *d)
{
    /* Where a string ends, and its slots in a table that is half full. */
    size_t a_value = sizeof(size_t) + 2 * sizeof(struct table_slot);

    return d->strings.bytes.size + dictionary_count(d) * a_value;
}

void dictionary_clear(struct dictionary *d)
{
    string_table_free(&d->strings);
}
