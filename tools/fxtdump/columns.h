/* SPDX-License-Identifier: BSD-2-Clause */
/* A text table: right-aligned columns of numbers, as wide as necessary, and a
 * left-aligned last column of any text. */
#ifndef FXTDUMP_COLUMNS_H
#define FXTDUMP_COLUMNS_H

#include <stdint.h>

#include "print.h"
#include "common/base/text.h"

enum { COLUMNS_MAX = 12 };

struct columns {
    size_t n_columns;
    /* The cells, concatenated, and where each ends. */
    struct text cells;
    size_t *ends;
    size_t n_cells;
    size_t capacity;
};

/* Starts a table with the headings of its columns, at most COLUMNS_MAX, in one string
 * with spaces between them. */
void columns_start(struct columns *columns, const char *headings);

/* Ends a cell: what was added to `cells` since the last one. */
void columns_end_cell(struct columns *columns);

/* Cells that are numbers, and the share of a number in a whole, in percent. */
void columns_u64(struct columns *columns, uint64_t number);
void columns_share(struct columns *columns, uint64_t part, uint64_t whole);

/* A cell of a time in seconds. */
void columns_ns(struct columns *columns, uint64_t ns);

/* Prints an empty line and the table, unless it has no rows, and frees it. */
void columns_print(struct text *out, const struct print_context *context,
                   struct columns *columns);

#endif
