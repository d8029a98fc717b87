/* SPDX-License-Identifier: BSD-2-Clause */
/* What the end of a Parquet file says about it. */
#ifndef PARQUET_METADATA_H
#define PARQUET_METADATA_H

#include "chunk.h"
#include "pages.h"

/* The structs of all row groups, and how many there are. */
struct row_groups {
    struct text structs;
    size_t n;
    uint64_t n_rows;
};

/* Adds one whose chunks were written, as many as the table has columns. */
void metadata_add_group(struct row_groups *groups, const struct table_info *table,
                        const struct chunk *chunks, const struct chunk_place *places,
                        enum parquet_codec codec, size_t n_rows);

/* Adds the metadata of a file. */
void metadata_add_file(struct text *to, const struct table_info *table,
                       const struct row_groups *groups);

#endif
