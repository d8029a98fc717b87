/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A column's part of a row group, in memory until it is written: pages are encoded once
 * all of their values are known, in the way that is then the smallest.
 *
 * An entry is an item of a list, or else the cell of a row; also one that is null, or a
 * list without items, of which there is no value.
 */
#ifndef PARQUET_CHUNK_H
#define PARQUET_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/string_table.h"
#include "tools/tables/sink.h"

/*
 * The different values of a chunk, numbered in the order in which they came: a
 * string_table, which of values of one size needs not to know where each ends. All zero
 * is an empty one of values of any size.
 */
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

struct chunk {
    const struct column *column;
    size_t n_entries;
    /* The levels of each entry, a byte each; empty where all would be 0. An entry with
     * the highest definition level has a value; one with repetition level 0 begins a
     * row. */
    struct text definitions;
    struct text repetitions;
    size_t n_values;
    /* Values of 64 bits, and bools; else NULL. */
    uint64_t *words;
    size_t word_capacity;
    /* Of bytes, and of words for which there is a dictionary: the different ones, and
     * the number of each value in them. */
    struct dictionary distinct;
    uint32_t *numbers;
    size_t number_capacity;
    /* The size of all values of bytes. */
    size_t n_value_bytes;
};

static inline bool column_is_list(const struct column *column)
{
    return column->type == COLUMN_HASH_LIST;
}

/* Whether values are `words`. These are inline because they are asked for each cell. */
static inline bool column_has_words(const struct column *column)
{
    return column->type == COLUMN_INT64 || column->type == COLUMN_TIME ||
           column->type == COLUMN_UINT64 || column->type == COLUMN_DOUBLE ||
           column->type == COLUMN_BOOL;
}

/* The size of each value in bytes; 0 if values have different ones. */
size_t column_fixed_bytes(const struct column *column);

static inline int column_max_definition(const struct column *column)
{
    return column->is_nullable + column_is_list(column);
}

/* A chunk of a column, without entries. */
struct chunk chunk_of(const struct column *column);

/* Adds the next row's. */
void chunk_add(struct chunk *chunk, const struct cell *cell);

/* How much memory it takes, roughly. */
size_t chunk_bytes(const struct chunk *chunk);

/* Makes `numbers` and `distinct` of words, if few enough of them are different. */
bool chunk_number_words(struct chunk *chunk);

/* Leaves a chunk of the same column without entries, but with its memory. */
void chunk_clear(struct chunk *chunk);

void chunk_free(struct chunk *chunk);

#endif
