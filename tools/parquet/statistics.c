/* SPDX-License-Identifier: BSD-2-Clause */
/* See statistics.h. */
#include "statistics.h"

#include <math.h>
#include <string.h>

#include "common/base/binary.h"
#include "encodings.h"

/* Longer strings would only make the metadata large. */
enum { BOUND_MAX = 256 };

/* The least and the greatest value. */
struct bounds {
    bool is_known;
    char bytes[2][sizeof(uint64_t)];
    struct string least;
    struct string greatest;
};

/* ---- Bytes ------------------------------------------------------------------------- */

static void find_of_bytes(const struct chunk *c, struct bounds *b)
{
    size_t n = dictionary_count(&c->distinct);

    if (n == 0)
        return;
    b->least = b->greatest = dictionary_get(&c->distinct, 0);
    for (uint32_t i = 1; i < n; i++) {
        struct string value = dictionary_get(&c->distinct, i);

        if (string_compare(value, b->least) < 0)
            b->least = value;
        if (string_compare(value, b->greatest) > 0)
            b->greatest = value;
    }
    b->is_known = b->least.size <= BOUND_MAX && b->greatest.size <= BOUND_MAX;
}

/* ---- Words ------------------------------------------------------------------------- */

static void set_words(struct bounds *b, uint64_t least, uint64_t greatest, size_t n_bytes)
{
    store_le(b->bytes[0], least, sizeof(b->bytes[0]));
    store_le(b->bytes[1], greatest, sizeof(b->bytes[1]));
    b->least = (struct string){b->bytes[0], n_bytes};
    b->greatest = (struct string){b->bytes[1], n_bytes};
    b->is_known = true;
}

/* `sign` is 2^63 for signed numbers, which are then in the order of unsigned ones. */
static void find_of_integers(const struct chunk *c, struct bounds *b, uint64_t sign)
{
    uint64_t least = UINT64_MAX;
    uint64_t greatest = 0;

    for (size_t i = 0; i < c->n_values; i++) {
        uint64_t value = c->words[i] ^ sign;

        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
    }
    if (c->n_values > 0)
        set_words(b, least ^ sign, greatest ^ sign, column_fixed_bytes(c->column));
}

static uint64_t get_word(double value)
{
    uint64_t word;

    memcpy(&word, &value, sizeof(word));
    return word;
}

/* What is no number is left out; a zero stands for both. Returns how many are left out.
 */
static size_t find_of_doubles(const struct chunk *c, struct bounds *b)
{
    double least = INFINITY;
    double greatest = -INFINITY;
    size_t n_nan = 0;

    for (size_t i = 0; i < c->n_values; i++) {
        double value = double_of_bits(c->words[i]);

        n_nan += isnan(value) != 0;
        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
    }
    if (n_nan < c->n_values)
        set_words(b, get_word(least == 0 ? -0.0 : least),
                  get_word(greatest == 0 ? 0.0 : greatest), sizeof(uint64_t));
    return n_nan;
}

/* ---- All --------------------------------------------------------------------------- */

static size_t find_bounds(const struct chunk *c, struct bounds *b)
{
    switch (c->column->type) {
    case COLUMN_INT64:
    case COLUMN_TIME:
        find_of_integers(c, b, (uint64_t)1 << 63);
        break;
    case COLUMN_UINT64:
    case COLUMN_BOOL:
        find_of_integers(c, b, 0);
        break;
    case COLUMN_DOUBLE:
        return find_of_doubles(c, b);
    case COLUMN_STRING:
    case COLUMN_BLOB:
    case COLUMN_HASH:
    case COLUMN_HASH_LIST:
        find_of_bytes(c, b);
        break;
    }
    return 0;
}

void statistics_add(struct thrift *t, int field, const struct chunk *c)
{
    struct bounds bounds = {.is_known = false};
    size_t n_nan = find_bounds(c, &bounds);

    thrift_begin_field(t, field);
    thrift_i64(t, 3, (int64_t)(c->n_entries - c->n_values));
    if (bounds.is_known) {
        thrift_binary(t, 5, bounds.greatest.data, bounds.greatest.size);
        thrift_binary(t, 6, bounds.least.data, bounds.least.size);
    }
    if (c->column->type == COLUMN_DOUBLE)
        thrift_i64(t, 9, (int64_t)n_nan);
    thrift_end(t);
}
