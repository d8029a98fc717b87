/* SPDX-License-Identifier: BSD-2-Clause */
/* See parquet.h. */
#include "parquet.h"

#include "chunk.h"
#include "metadata.h"
#include "pages.h"

struct parquet_file {
    const struct table_info *table;
    struct page_writer writer;
    /* The row group that is in memory, by columns. */
    struct chunk *chunks;
    struct chunk_place *places;
    size_t n_rows;
    struct row_groups groups;
};

/* Files begin and end so. */
static const char magic[4] = {'P', 'A', 'R', '1'};

struct parquet_file *parquet_create(const struct table_info *table, struct output *output,
                                    enum parquet_codec codec)
{
    struct parquet_file *f = memory_allocate(sizeof(*f));
    size_t n = table->n_columns;

    f->table = table;
    f->writer = (struct page_writer){.output = output, .codec = codec};
    f->chunks = memory_allocate(n * sizeof(*f->chunks));
    f->places = memory_allocate(n * sizeof(*f->places));
    for (size_t i = 0; i < n; i++)
        f->chunks[i] = chunk_of(&table->columns[i]);
    pages_write_bytes(&f->writer, magic, sizeof(magic));
    return f;
}

/* ---- Row groups -------------------------------------------------------------------- */

static void write_group(struct parquet_file *f)
{
    for (size_t i = 0; i < f->table->n_columns; i++)
        pages_write(&f->writer, &f->chunks[i], &f->places[i]);
    metadata_add_group(&f->groups, f->table, f->chunks, f->places, f->writer.codec,
                       f->n_rows);
    for (size_t i = 0; i < f->table->n_columns; i++)
        chunk_clear(&f->chunks[i]);
    f->n_rows = 0;
}

/* How many rows come before the size is looked at again. */
enum { ROWS_AT_ONCE = 64 };

static bool is_group_full(const struct parquet_file *f)
{
    size_t n_bytes = 0;

    if (f->n_rows % ROWS_AT_ONCE != 0)
        return false;
    for (size_t i = 0; i < f->table->n_columns; i++)
        n_bytes += chunk_bytes(&f->chunks[i]);
    return n_bytes >= PARQUET_GROUP_BYTES || f->n_rows >= PARQUET_GROUP_ROWS;
}

void parquet_add_row(struct parquet_file *f, const struct cell *cells)
{
    for (size_t i = 0; i < f->table->n_columns; i++)
        chunk_add(&f->chunks[i], &cells[i]);
    f->n_rows++;
    if (is_group_full(f))
        write_group(f);
}

/* ---- The end ----------------------------------------------------------------------- */

static void write_metadata(struct parquet_file *f)
{
    struct text metadata = {NULL, 0, 0};

    metadata_add_file(&metadata, f->table, &f->groups);
    if (metadata.size > INT32_MAX)
        memory_fail("the metadata of a Parquet file became too large");
    text_le(&metadata, metadata.size, sizeof(uint32_t));
    text_add(&metadata, magic, sizeof(magic));
    pages_write_bytes(&f->writer, metadata.data, metadata.size);
    text_free(&metadata);
}

void parquet_end(struct parquet_file *f)
{
    if (f->n_rows > 0)
        write_group(f);
    write_metadata(f);
    for (size_t i = 0; i < f->table->n_columns; i++)
        chunk_free(&f->chunks[i]);
    page_writer_free(&f->writer);
    text_free(&f->groups.structs);
    memory_release(f->chunks);
    memory_release(f->places);
    memory_release(f);
}
