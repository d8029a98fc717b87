/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes rows as a Parquet file, for tests that choose their own tables:
 *
 *     rows2parquet OUTPUT none|gzip|zstd COLUMN:TYPE... < ROWS
 *
 * A type ends in ? if there may be no value. Each cell is a byte, 0 for null, and then 8
 * bytes, little-endian: a number, or the size of the bytes that follow.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "tools/parquet/parquet.h"
#include "tools/tables/schema.h"

enum { COLUMNS_MAX = 20, CELL_MAX = 1 << 20 };

static struct column columns[COLUMNS_MAX];
static char bytes[COLUMNS_MAX][CELL_MAX];

static _Noreturn void fail(const char *why)
{
    fprintf(stderr, "rows2parquet: %s\n", why);
    exit(2);
}

/* The argument is cut in two. */
static void parse_column(struct column *column, char *argument)
{
    char *type = strchr(argument, ':');

    if (type == NULL)
        fail(argument);
    *type++ = '\0';
    column->name = argument;
    column->is_nullable = type[strlen(type) - 1] == '?';
    if (column->is_nullable)
        type[strlen(type) - 1] = '\0';
    for (int i = COLUMN_INT64; i <= COLUMN_HASH_LIST; i++) {
        column->type = (enum column_type)i;
        if (strcmp(column_type_name(column->type), type) == 0)
            return;
    }
    fail(type);
}

static enum parquet_codec parse_codec(const char *name)
{
    if (strcmp(name, "zstd") == 0)
        return PARQUET_ZSTD;
    return strcmp(name, "gzip") == 0 ? PARQUET_GZIP : PARQUET_UNCOMPRESSED;
}

static uint64_t read_number(void)
{
    unsigned char number[8];
    uint64_t value = 0;

    if (fread(number, 1, sizeof(number), stdin) != sizeof(number))
        fail("a row is not whole");
    for (int i = 0; i < 8; i++)
        value |= (uint64_t)number[i] << (8 * i);
    return value;
}

/* Returns false at the end. */
static bool read_cell(struct cell *cell, enum column_type type, char *room)
{
    int is_there = getchar();
    uint64_t number;

    if (is_there == EOF)
        return false;
    *cell = (struct cell){.is_null = is_there == 0};
    if (cell->is_null)
        return true;
    number = read_number();
    switch (type) {
    case COLUMN_INT64:
    case COLUMN_TIME:
    case COLUMN_UINT64:
    case COLUMN_BOOL:
        cell->uint64 = number;
        break;
    case COLUMN_DOUBLE:
        memcpy(&cell->real, &number, sizeof(number));
        break;
    case COLUMN_STRING:
    case COLUMN_BLOB:
    case COLUMN_HASH:
    case COLUMN_HASH_LIST:
        if (number > CELL_MAX || fread(room, 1, number, stdin) != number)
            fail("a row is not whole");
        cell->bytes = room;
        cell->n_bytes = number;
        break;
    }
    return true;
}

static bool read_row(struct cell *cells, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!read_cell(&cells[i], columns[i].type, bytes[i]))
            return false;
    }
    return true;
}

struct arguments {
    int argc;
    char **argv;
};

static void write_rows(void *context)
{
    const struct arguments *a = (const struct arguments *)context;
    struct table_info table = {.name = "rows", .columns = columns};
    struct cell cells[COLUMNS_MAX];
    struct text why = {NULL, 0, 0};
    struct output *output;
    struct parquet_file *file;

    table.n_columns = (size_t)a->argc - 3;
    for (size_t i = 0; i < table.n_columns; i++)
        parse_column(&columns[i], a->argv[i + 3]);
    output = output_open(a->argv[1], true, &why);
    if (output == NULL)
        fail(a->argv[1]);
    file = parquet_create(&table, output, parse_codec(a->argv[2]));
    while (read_row(cells, table.n_columns))
        parquet_add_row(file, cells);
    parquet_end(file);
    if (!output_close(output, true, &why))
        fail(a->argv[1]);
}

int main(int argc, char **argv)
{
    struct arguments arguments = {argc, argv};
    const char *failure;

    if (argc < 4 || argc - 3 > COLUMNS_MAX)
        fail("OUTPUT CODEC COLUMN:TYPE...");
    failure = memory_run(NULL, write_rows, &arguments);
    if (failure != NULL)
        fail(failure);
    return 0;
}
