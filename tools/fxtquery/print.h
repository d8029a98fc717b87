/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of a query, as a table for people or as data. */
#ifndef FXTQUERY_PRINT_H
#define FXTQUERY_PRINT_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/io/output.h"

enum print_form { PRINT_TABLE, PRINT_CSV, PRINT_JSON, PRINT_FOLDED };

/* Each prints all rows of a statement, and returns the code that the last step of it
 * returned: SQLITE_DONE, or an error, before the first row of which nothing is printed.
 * It also ends once the output fails. */

/* Columns that are aligned by the first rows. For terminals durations have units, and no
 * character controls the terminal. */
int print_table(sqlite3_stmt *statement, struct output *output, bool is_terminal);

/* With the names of the columns as the first line; quoted as RFC 4180 has it, and lines
 * end in a line feed alone. Null is nothing. */
int print_csv(sqlite3_stmt *statement, struct output *output, bool is_terminal);

/* An array with an object for each row. */
int print_json(sqlite3_stmt *statement, struct output *output);

/* Of two columns, a stack and a number: folded stacks. Rows without a stack, and those
 * whose number is none or is negative, are left out, and counted in `n_left_out`. */
int print_folded(sqlite3_stmt *statement, struct output *output, uint64_t *n_left_out);

/* What is wrong with the columns of a query for folded stacks; or NULL. */
const char *print_folded_misfit(sqlite3_stmt *statement);

/* Adds the value of a column as text: blobs in hex; nothing for null. */
void print_value(struct text *text, sqlite3_stmt *statement, int column);

#endif
