/* SPDX-License-Identifier: BSD-2-Clause */
/* See chunk.h. */
#include "chunk.h"

#include <string.h>

#include "common/base/binary.h"
#include "common/base/memory.h"

/* ---- Dictionaries ------------------------------------------------------------------ */

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

/* ---- Columns ----------------------------------------------------------------------- */

size_t column_fixed_bytes(const struct column *column)
{
    switch (column->type) {
    case COLUMN_INT64:
    case COLUMN_TIME:
    case COLUMN_UINT64:
    case COLUMN_DOUBLE:
        return sizeof(uint64_t);
    case COLUMN_BOOL:
        return 1;
    case COLUMN_HASH:
    case COLUMN_HASH_LIST:
        return HASH_BYTES;
    case COLUMN_STRING:
    case COLUMN_BLOB:
        break;
    }
    return 0;
}

struct chunk chunk_of(const struct column *column)
{
    return (struct chunk){.column = column,
                          .distinct = {.fixed_bytes = column_fixed_bytes(column)}};
}

/* ---- Values ------------------------------------------------------------------------ */

static void add_number(struct chunk *c, uint32_t number)
{
    MEMORY_ADD(c->numbers, c->n_values, c->number_capacity, number);
}

/* Hashes rarely are, and cost as much to compare as to look up. */
static bool is_last_again(const struct chunk *c, const void *bytes, size_t n_bytes)
{
    struct string last;

    if (c->n_values == 0 || c->distinct.fixed_bytes > 0)
        return false;
    last = dictionary_get(&c->distinct, c->numbers[c->n_values - 1]);
    return last.size == n_bytes && memcmp(last.data, bytes, n_bytes) == 0;
}

static void add_bytes(struct chunk *c, const void *bytes, size_t n_bytes)
{
    /* Sizes in files have 32 bits, which a page shares with other values. */
    if (n_bytes > INT32_MAX / 2)
        memory_fail("a value is too large for Parquet");
    c->n_value_bytes += n_bytes;
    if (is_last_again(c, bytes, n_bytes))
        add_number(c, c->numbers[c->n_values - 1]);
    else
        add_number(c, dictionary_add(&c->distinct, bytes, n_bytes));
}

static void add_word(struct chunk *c, const struct cell *cell)
{
    uint64_t word = cell->uint64;

    if (c->column->type == COLUMN_DOUBLE)
        memcpy(&word, &cell->real, sizeof(word));
    MEMORY_ADD(c->words, c->n_values, c->word_capacity, word);
}

/* ---- Entries ----------------------------------------------------------------------- */

static void add_entry(struct chunk *c, int definition, bool begins_row)
{
    c->n_entries++;
    if (column_max_definition(c->column) > 0)
        text_char(&c->definitions, (char)definition);
    if (column_is_list(c->column))
        text_char(&c->repetitions, begins_row ? 0 : 1);
}

static void add_items(struct chunk *c, const struct cell *cell)
{
    const char *bytes = (const char *)cell->bytes;
    size_t n = cell->n_bytes / HASH_BYTES;

    if (n == 0)
        add_entry(c, c->column->is_nullable, true);
    for (size_t i = 0; i < n; i++) {
        add_entry(c, column_max_definition(c->column), i == 0);
        add_bytes(c, bytes + i * HASH_BYTES, HASH_BYTES);
    }
}

void chunk_add(struct chunk *c, const struct cell *cell)
{
    if (cell->is_null) {
        add_entry(c, 0, true);
    } else if (column_is_list(c->column)) {
        add_items(c, cell);
    } else {
        add_entry(c, column_max_definition(c->column), true);
        if (column_has_words(c->column))
            add_word(c, cell);
        else
            add_bytes(c, cell->bytes, cell->n_bytes);
    }
}

size_t chunk_bytes(const struct chunk *c)
{
    size_t value_bytes =
        column_has_words(c->column) ? sizeof(*c->words) : sizeof(*c->numbers);

    return c->definitions.size + c->repetitions.size + c->n_values * value_bytes +
           dictionary_bytes(&c->distinct);
}

/* ---- Dictionaries ------------------------------------------------------------------ */

/* With more different words than this, or more than half of all, it is not worth it. */
enum { DISTINCT_WORDS_MAX = 1 << 16, DISTINCT_WORDS_FREE = 256 };

static uint32_t number_word(struct chunk *c, uint64_t word)
{
    char bytes[sizeof(word)];

    store_le(bytes, word, sizeof(bytes));
    return dictionary_add(&c->distinct, bytes, sizeof(bytes));
}

bool chunk_number_words(struct chunk *c)
{
    size_t i;

    c->numbers = memory_make_room(c->numbers, 0, c->n_values, &c->number_capacity,
                                  sizeof(*c->numbers));
    for (i = 0; i < c->n_values; i++) {
        size_t n = dictionary_count(&c->distinct);

        if (n > DISTINCT_WORDS_MAX || n > DISTINCT_WORDS_FREE + i / 2)
            break;
        c->numbers[i] = number_word(c, c->words[i]);
    }
    return i == c->n_values;
}

/* ---- The end ----------------------------------------------------------------------- */

void chunk_clear(struct chunk *c)
{
    dictionary_clear(&c->distinct);
    c->definitions.size = 0;
    c->repetitions.size = 0;
    c->n_entries = 0;
    c->n_values = 0;
    c->n_value_bytes = 0;
}

void chunk_free(struct chunk *c)
{
    dictionary_clear(&c->distinct);
    text_free(&c->definitions);
    text_free(&c->repetitions);
    memory_release(c->words);
    memory_release(c->numbers);
}
