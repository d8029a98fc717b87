/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A directory that gets the rows of tables, one file each: a table_sink
 * (tools/tables/sink.h). A file has its name once it is whole. The first table, meta, has
 * it last: where its file is, all others are of the same recording.
 */
#ifndef FXT2PARQUET_DIRECTORY_H
#define FXT2PARQUET_DIRECTORY_H

#include "common/base/text.h"
#include "tools/parquet/parquet.h"

struct options;

struct directory {
    /* What it is called, and the inputs, which it must not replace. */
    const struct options *options;
    enum parquet_codec codec;
    /* KEY=VALUE or KEY, from the outside to the inside; see partition.h. */
    const char *const *partitions;
    size_t n_partitions;
    /* What identifies the recording, where there are partitions. */
    unsigned char recording[HASH_BYTES];
    /* When the recording began, in nanoseconds since the Unix epoch; 0 if not known. */
    uint64_t time_ns;

    /* The file being written: its name, that of what could not be created, or NULL. */
    struct text path;
    struct output *output;
    struct parquet_file *file;
    /* The file of meta. */
    struct text meta;
    /* Why it failed; empty if it has not. */
    struct text why;
};

/* Before any rows: returns false if a file would replace an input. */
bool directory_check(struct directory *directory);

struct table_sink directory_sink(struct directory *directory);

/* After all rows: the last file gets its name. Returns false on failure. */
bool directory_finish(struct directory *directory);

/* Closes and frees what is left, after which `why` and `path` are to be freed. */
void directory_close(struct directory *directory);

#endif
