/* SPDX-License-Identifier: BSD-2-Clause */
/* See metadata.h. Numbers of fields and of types are those of parquet.thrift. */
#include "metadata.h"

#include <math.h>
#include <string.h>

#include <fxt/common.h>

#include "common/base/binary.h"
#include "encodings.h"
#include "thrift.h"

/* ---- Bounds of values -------------------------------------------------------------- */

/* Longer strings would only make the metadata large. */
enum { BOUND_MAX = 256 };

/* The least and the greatest value. */
struct bounds {
    bool is_known;
    char bytes[2][sizeof(uint64_t)];
    struct string least;
    struct string greatest;
};

/* ---- Bounds of bytes --------------------------------------------------------------- */

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

/* ---- Bounds of words --------------------------------------------------------------- */

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

/* ---- Statistics -------------------------------------------------------------------- */

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

/* Adds the statistics of a chunk, by which readers skip row groups, as this field. */
static void add_statistics(struct thrift *t, int field, const struct chunk *c)
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

/* ---- Columns ----------------------------------------------------------------------- */

enum physical_type {
    TYPE_BOOLEAN = 0,
    TYPE_INT64 = 2,
    TYPE_DOUBLE = 5,
    TYPE_BYTE_ARRAY = 6,
    TYPE_FIXED_LEN_BYTE_ARRAY = 7
};

enum { REQUIRED = 0, OPTIONAL = 1, REPEATED = 2 };

/* Of the older annotations of types, and of those that have taken their place. */
enum { CONVERTED_UTF8 = 0, CONVERTED_LIST = 3, CONVERTED_UINT_64 = 14 };
enum {
    LOGICAL_STRING = 1,
    LOGICAL_LIST = 3,
    LOGICAL_TIMESTAMP = 8,
    LOGICAL_INTEGER = 10
};

enum { UNIT_NANOS = 3 };

/* The names of the groups that a list is, between the column and its items. */
static const char list_name[] = "list";
static const char item_name[] = "element";

static enum physical_type physical_type(const struct column *column)
{
    switch (column->type) {
    case COLUMN_BOOL:
        return TYPE_BOOLEAN;
    case COLUMN_INT64:
    case COLUMN_TIME:
    case COLUMN_UINT64:
        return TYPE_INT64;
    case COLUMN_DOUBLE:
        return TYPE_DOUBLE;
    case COLUMN_STRING:
    case COLUMN_BLOB:
        return TYPE_BYTE_ARRAY;
    case COLUMN_HASH:
    case COLUMN_HASH_LIST:
        break;
    }
    return TYPE_FIXED_LEN_BYTE_ARRAY;
}

/* ---- Row groups -------------------------------------------------------------------- */

static void add_encodings(struct thrift *t, const struct chunk_place *place)
{
    /* Levels are RLE; dictionaries, and pages without a value, are plain. */
    bool has_third = place->encoding != PARQUET_PLAIN;

    thrift_list(t, 2, THRIFT_I32, has_third ? 3 : 2);
    thrift_item_i32(t, PARQUET_PLAIN);
    thrift_item_i32(t, PARQUET_RLE);
    if (has_third)
        thrift_item_i32(t, place->encoding);
}

static void add_path(struct thrift *t, const struct column *column)
{
    thrift_list(t, 3, THRIFT_BINARY, column_is_list(column) ? 3 : 1);
    thrift_item_string(t, column->name);
    if (column_is_list(column)) {
        thrift_item_string(t, list_name);
        thrift_item_string(t, item_name);
    }
}

static void add_chunk(struct thrift *t, const struct chunk *c,
                      const struct chunk_place *p, enum parquet_codec codec)
{
    thrift_begin(t);
    thrift_i64(t, 2, 0);
    thrift_begin_field(t, 3);
    thrift_i32(t, 1, physical_type(c->column));
    add_encodings(t, p);
    add_path(t, c->column);
    thrift_i32(t, 4, codec);
    thrift_i64(t, 5, (int64_t)c->n_entries);
    thrift_i64(t, 6, (int64_t)p->n_bytes);
    thrift_i64(t, 7, (int64_t)p->n_compressed_bytes);
    thrift_i64(t, 9, (int64_t)p->data_offset);
    if (p->has_dictionary)
        thrift_i64(t, 11, (int64_t)p->dictionary_offset);
    add_statistics(t, 12, c);
    thrift_end(t);
    thrift_end(t);
}

void metadata_add_group(struct row_groups *groups, const struct table_info *table,
                        const struct chunk *chunks, const struct chunk_place *places,
                        enum parquet_codec codec, size_t n_rows)
{
    struct thrift t = {.to = &groups->structs};
    uint64_t n_bytes = 0;

    thrift_begin(&t);
    thrift_list(&t, 1, THRIFT_STRUCT, table->n_columns);
    for (size_t i = 0; i < table->n_columns; i++) {
        add_chunk(&t, &chunks[i], &places[i], codec);
        n_bytes += places[i].n_bytes;
    }
    thrift_i64(&t, 2, (int64_t)n_bytes);
    thrift_i64(&t, 3, (int64_t)n_rows);
    thrift_end(&t);
    groups->n++;
    groups->n_rows += n_rows;
}

/* ---- Schema ------------------------------------------------------------------------ */

static void add_string_type(struct thrift *t)
{
    thrift_i32(t, 6, CONVERTED_UTF8);
    thrift_begin_field(t, 10);
    thrift_mark(t, LOGICAL_STRING);
    thrift_end(t);
}

static void add_unsigned_type(struct thrift *t)
{
    thrift_i32(t, 6, CONVERTED_UINT_64);
    thrift_begin_field(t, 10);
    thrift_begin_field(t, LOGICAL_INTEGER);
    thrift_i8(t, 1, 64);
    thrift_bool(t, 2, false);
    thrift_end(t);
    thrift_end(t);
}

/* There is no older annotation for nanoseconds. Times are UTC, which the first field
 * would say; but DuckDB keeps nanoseconds only of times that are of no zone. */
static void add_time_type(struct thrift *t)
{
    thrift_begin_field(t, 10);
    thrift_begin_field(t, LOGICAL_TIMESTAMP);
    thrift_bool(t, 1, false);
    thrift_begin_field(t, 2);
    thrift_mark(t, UNIT_NANOS);
    thrift_end(t);
    thrift_end(t);
    thrift_end(t);
}

static void add_logical_type(struct thrift *t, enum column_type type)
{
    if (type == COLUMN_STRING)
        add_string_type(t);
    else if (type == COLUMN_UINT64)
        add_unsigned_type(t);
    else if (type == COLUMN_TIME)
        add_time_type(t);
}

/* What has values. */
static void add_leaf(struct thrift *t, const struct column *column, const char *name,
                     int repetition)
{
    enum physical_type type = physical_type(column);

    thrift_begin(t);
    thrift_i32(t, 1, type);
    if (type == TYPE_FIXED_LEN_BYTE_ARRAY)
        thrift_i32(t, 2, (int32_t)column_fixed_bytes(column));
    thrift_i32(t, 3, repetition);
    thrift_string(t, 4, name);
    add_logical_type(t, column->type);
    thrift_end(t);
}

static void add_list(struct thrift *t, const struct column *column, int repetition)
{
    thrift_begin(t);
    thrift_i32(t, 3, repetition);
    thrift_string(t, 4, column->name);
    thrift_i32(t, 5, 1);
    thrift_i32(t, 6, CONVERTED_LIST);
    thrift_begin_field(t, 10);
    thrift_mark(t, LOGICAL_LIST);
    thrift_end(t);
    thrift_end(t);
    thrift_begin(t);
    thrift_i32(t, 3, REPEATED);
    thrift_string(t, 4, list_name);
    thrift_i32(t, 5, 1);
    thrift_end(t);
    add_leaf(t, column, item_name, REQUIRED);
}

static void add_schema(struct thrift *t, const struct table_info *table)
{
    size_t n_elements = 1;

    for (size_t i = 0; i < table->n_columns; i++)
        n_elements += column_is_list(&table->columns[i]) ? 3 : 1;
    thrift_list(t, 2, THRIFT_STRUCT, n_elements);
    thrift_begin(t);
    thrift_string(t, 4, table->name);
    thrift_i32(t, 5, (int32_t)table->n_columns);
    thrift_end(t);
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct column *column = &table->columns[i];
        int repetition = column->is_nullable ? OPTIONAL : REQUIRED;

        if (column_is_list(column))
            add_list(t, column, repetition);
        else
            add_leaf(t, column, column->name, repetition);
    }
}

/* ---- Files ------------------------------------------------------------------------- */

/* Statistics are in the order of the columns' types. */
static void add_orders(struct thrift *t, const struct table_info *table)
{
    thrift_list(t, 7, THRIFT_STRUCT, table->n_columns);
    for (size_t i = 0; i < table->n_columns; i++) {
        thrift_begin(t);
        thrift_mark(t, 1);
        thrift_end(t);
    }
}

void metadata_add_file(struct text *to, const struct table_info *table,
                       const struct row_groups *groups)
{
    struct thrift t = {.to = to};

    thrift_begin(&t);
    /* With encodings of version 2. */
    thrift_i32(&t, 1, 2);
    add_schema(&t, table);
    thrift_i64(&t, 3, (int64_t)groups->n_rows);
    thrift_list(&t, 4, THRIFT_STRUCT, groups->n);
    text_add(to, groups->structs.data, groups->structs.size);
    thrift_string(&t, 6, "libfxt version " FXT_VERSION_STRING);
    add_orders(&t, table);
    thrift_end(&t);
}
