/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a chunk as pages: of its dictionary, if it has one, and of its values. */
#ifndef PARQUET_PAGES_H
#define PARQUET_PAGES_H

#include "chunk.h"
#include "codec.h"
#include "common/base/io/output.h"
#include "encodings.h"

/* Where pages go. */
struct page_writer {
    struct output *output;
    enum parquet_codec codec;
    /* The bytes that have been written. */
    uint64_t offset;
    /* A page, and what it is written as. */
    struct text page;
    struct text compressed;
    struct text header;
    /* The levels of a page. */
    uint32_t *levels;
    size_t level_capacity;
};

/* What the metadata has of a chunk that was written. */
struct chunk_place {
    enum parquet_encoding encoding;
    bool has_dictionary;
    uint64_t dictionary_offset;
    uint64_t data_offset;
    /* Of all its pages with their headers. */
    uint64_t n_bytes;
    uint64_t n_compressed_bytes;
};

/* Chooses the encoding, and writes all pages. */
void pages_write(struct page_writer *writer, struct chunk *chunk,
                 struct chunk_place *place);

/* What is no page. */
void pages_write_bytes(struct page_writer *writer, const void *bytes, size_t size);

void page_writer_free(struct page_writer *writer);

#endif
