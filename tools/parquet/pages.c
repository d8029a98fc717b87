/* SPDX-License-Identifier: BSD-2-Clause */
/* See pages.h. */
#include "pages.h"

#include "common/base/sort.h"
#include "thrift.h"

/* At so many entries a page ends, after its last row. */
enum { PAGE_ENTRIES = 1 << 16 };

enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };

/* Entries of a chunk, and their values. */
struct page_range {
    size_t first_entry;
    size_t n_entries;
    size_t first_value;
    size_t n_values;
};

/* ---- Writing ----------------------------------------------------------------------- */

void pages_write_bytes(struct page_writer *w, const void *bytes, size_t size)
{
    output_write(w->output, bytes, size);
    w->offset += size;
}

/* The encoding is that of values. */
static void add_page_header(struct page_writer *w, int type, size_t n_values,
                            enum parquet_encoding encoding)
{
    struct thrift t = {.to = &w->header};

    w->header.size = 0;
    thrift_begin(&t);
    thrift_i32(&t, 1, type);
    thrift_i32(&t, 2, (int32_t)w->page.size);
    thrift_i32(&t, 3, (int32_t)w->compressed.size);
    thrift_begin_field(&t, type == DATA_PAGE ? 5 : 7);
    thrift_i32(&t, 1, (int32_t)n_values);
    thrift_i32(&t, 2, encoding);
    if (type == DATA_PAGE) {
        thrift_i32(&t, 3, PARQUET_RLE);
        thrift_i32(&t, 4, PARQUET_RLE);
    }
    thrift_end(&t);
    thrift_end(&t);
}

static void write_page(struct page_writer *w, int type, size_t n_values,
                       enum parquet_encoding encoding, struct chunk_place *place)
{
    codec_compress(w->codec, &w->page, &w->compressed);
    if (w->page.size > INT32_MAX || w->compressed.size > INT32_MAX)
        memory_fail("a page of Parquet became too large");
    add_page_header(w, type, n_values, encoding);
    pages_write_bytes(w, w->header.data, w->header.size);
    pages_write_bytes(w, w->compressed.data, w->compressed.size);
    place->n_bytes += w->header.size + w->page.size;
    place->n_compressed_bytes += w->header.size + w->compressed.size;
    w->page.size = 0;
}

/* ---- Values ------------------------------------------------------------------------ */

static void add_plain_bytes(struct text *to, const struct chunk *c, uint32_t number)
{
    struct string value = dictionary_get(&c->distinct, number);

    if (column_fixed_bytes(c->column) == 0)
        text_le(to, value.size, sizeof(uint32_t));
    text_add(to, value.data, value.size);
}

static void add_plain(struct text *to, const struct chunk *c, const struct page_range *r)
{
    if (c->column->type == COLUMN_BOOL) {
        encode_bools(to, c->words + r->first_value, r->n_values);
        return;
    }
    for (size_t i = r->first_value; i < r->first_value + r->n_values; i++) {
        if (column_has_words(c->column))
            text_le(to, c->words[i], sizeof(*c->words));
        else
            add_plain_bytes(to, c, c->numbers[i]);
    }
}

static int number_width(const struct chunk *c)
{
    return (int)count_bits(dictionary_count(&c->distinct) - 1);
}

static void add_numbers(struct text *to, const struct chunk *c,
                        const struct page_range *r)
{
    int width = number_width(c);

    text_char(to, (char)width);
    encode_hybrid(to, c->numbers + r->first_value, r->n_values, width);
}

static void add_values(struct text *to, const struct chunk *c, const struct page_range *r,
                       enum parquet_encoding encoding)
{
    switch (encoding) {
    case PARQUET_PLAIN:
        add_plain(to, c, r);
        break;
    case PARQUET_RLE_DICTIONARY:
        add_numbers(to, c, r);
        break;
    case PARQUET_DELTA_BINARY_PACKED:
        encode_delta(to, c->words + r->first_value, r->n_values);
        break;
    case PARQUET_RLE:
        break;
    }
}

/* ---- Choosing ---------------------------------------------------------------------- */

static size_t plain_bytes(const struct chunk *c, size_t n_values, size_t n_value_bytes)
{
    size_t size_bytes = column_fixed_bytes(c->column) == 0 ? sizeof(uint32_t) : 0;

    return n_value_bytes + n_values * size_bytes;
}

/* The dictionary, and the values that refer to it. */
static size_t numbered_bytes(const struct chunk *c)
{
    return plain_bytes(c, dictionary_count(&c->distinct),
                       c->distinct.strings.bytes.size) +
           c->n_values * (size_t)number_width(c) / 8;
}

static size_t delta_bytes(struct page_writer *w, const struct chunk *c)
{
    size_t size;

    encode_delta(&w->page, c->words, c->n_values);
    size = w->page.size;
    w->page.size = 0;
    return size;
}

/* With so few values, differences cannot be much smaller than numbers of values. */
enum { FEW_VALUES = 16 };

static bool is_better_numbered(struct page_writer *w, struct chunk *c)
{
    if (!chunk_number_words(c))
        return false;
    if (c->column->type == COLUMN_DOUBLE)
        return numbered_bytes(c) < c->n_values * sizeof(*c->words);
    return dictionary_count(&c->distinct) <= FEW_VALUES ||
           numbered_bytes(c) < delta_bytes(w, c);
}

static enum parquet_encoding choose_of_words(struct page_writer *w, struct chunk *c)
{
    if (is_better_numbered(w, c))
        return PARQUET_RLE_DICTIONARY;
    /* Differences of integers are rarely larger than the integers. */
    return c->column->type == COLUMN_DOUBLE ? PARQUET_PLAIN : PARQUET_DELTA_BINARY_PACKED;
}

static enum parquet_encoding choose_encoding(struct page_writer *w, struct chunk *c)
{
    if (c->n_values == 0 || c->column->type == COLUMN_BOOL)
        return PARQUET_PLAIN;
    if (column_has_words(c->column))
        return choose_of_words(w, c);
    return numbered_bytes(c) < plain_bytes(c, c->n_values, c->n_value_bytes)
               ? PARQUET_RLE_DICTIONARY
               : PARQUET_PLAIN;
}

/* ---- Pages ------------------------------------------------------------------------- */

/* Levels are preceded by the size of their encoding. */
static void add_levels(struct page_writer *w, const struct text *levels,
                       const struct page_range *r, int max_level)
{
    size_t at = w->page.size;
    size_t size_bytes = sizeof(uint32_t);

    if (levels->size == 0)
        return;
    w->levels = memory_make_room(w->levels, 0, r->n_entries, &w->level_capacity,
                                 sizeof(*w->levels));
    for (size_t i = 0; i < r->n_entries; i++)
        w->levels[i] = (unsigned char)levels->data[r->first_entry + i];
    text_le(&w->page, 0, size_bytes);
    encode_hybrid(&w->page, w->levels, r->n_entries, encode_width((uint64_t)max_level));
    store_le(w->page.data + at, w->page.size - at - size_bytes, size_bytes);
}

static void write_dictionary(struct page_writer *w, const struct chunk *c,
                             struct chunk_place *place)
{
    size_t n = dictionary_count(&c->distinct);

    place->has_dictionary = true;
    place->dictionary_offset = w->offset;
    for (uint32_t i = 0; i < n; i++)
        add_plain_bytes(&w->page, c, i);
    write_page(w, DICTIONARY_PAGE, n, PARQUET_PLAIN, place);
}

static void write_data(struct page_writer *w, const struct chunk *c,
                       const struct page_range *r, struct chunk_place *place)
{
    enum parquet_encoding encoding = r->n_values > 0 ? place->encoding : PARQUET_PLAIN;

    add_levels(w, &c->repetitions, r, 1);
    add_levels(w, &c->definitions, r, column_max_definition(c->column));
    if (r->n_values > 0)
        add_values(&w->page, c, r, encoding);
    write_page(w, DATA_PAGE, r->n_entries, encoding, place);
}

static bool begins_row(const struct chunk *c, size_t entry)
{
    return c->repetitions.size == 0 || c->repetitions.data[entry] == 0;
}

static bool has_value(const struct chunk *c, size_t entry)
{
    return c->definitions.size == 0 ||
           c->definitions.data[entry] == column_max_definition(c->column);
}

/* Makes the range that follows this one. */
static void advance(const struct chunk *c, struct page_range *r)
{
    size_t at = r->first_entry + r->n_entries;

    *r = (struct page_range){at, 0, r->first_value + r->n_values, 0};
    for (; at < c->n_entries && (r->n_entries < PAGE_ENTRIES || !begins_row(c, at));
         at++) {
        r->n_entries++;
        r->n_values += has_value(c, at);
    }
}

void pages_write(struct page_writer *w, struct chunk *c, struct chunk_place *place)
{
    struct page_range range = {0, 0, 0, 0};

    *place = (struct chunk_place){.encoding = choose_encoding(w, c)};
    if (place->encoding == PARQUET_RLE_DICTIONARY)
        write_dictionary(w, c, place);
    place->data_offset = w->offset;
    for (advance(c, &range); range.n_entries > 0; advance(c, &range))
        write_data(w, c, &range, place);
}

void page_writer_free(struct page_writer *w)
{
    text_free(&w->page);
    text_free(&w->compressed);
    text_free(&w->header);
    memory_release(w->levels);
}
