/* SPDX-License-Identifier: BSD-2-Clause */
/* See print.h: the table for people. */
#include "print.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/quote.h"
#include "common/base/string_table.h"
#include "tools/fxtreport/names.h"
#include "tools/fxtreport/units.h"

/* Rows that are held to see how wide columns are. */
enum { ROWS_HELD = 1000, GAP = 2 };

struct aligned_column {
    size_t width;
    bool is_duration;
    /* All values so far are numbers. */
    bool is_number;
};

struct aligned_table {
    struct output *output;
    bool is_terminal;
    struct aligned_column *columns;
    int n_columns;
    /* The cells of the rows that are held, one after the other, and where each ends. */
    struct text cells;
    size_t *ends;
    size_t n_ends;
    size_t end_capacity;
};

/* ---- Durations --------------------------------------------------------------------- */

static bool ends_with(const char *string, size_t size, const char *end)
{
    return size >= strlen(end) &&
           memcmp(string + size - strlen(end), end, strlen(end)) == 0;
}

/* dur, self_dur and the like, and the least, the largest, the mean or the sum of them. */
static bool is_duration(const char *name)
{
    static const char *const functions[] = {"avg(", "max(", "min(", "sum(", "total("};
    size_t size = strlen(name);

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        size_t n = strlen(functions[i]);

        if (size > n && strncmp(name, functions[i], n) == 0 && name[size - 1] == ')') {
            name += n;
            size -= n + 1;
        }
    }
    return ends_with(name, size, "_dur") || (size == 3 && strncmp(name, "dur", 3) == 0) ||
           ends_with(name, size, ".dur");
}

/* ---- Cells ------------------------------------------------------------------------- */

static void add_cell(struct aligned_table *t, const struct text *value)
{
    quote_text(&t->cells, value->data, value->size);
    MEMORY_ADD(t->ends, t->n_ends, t->end_capacity, t->cells.size);
}

static void add_value(struct aligned_table *t, sqlite3_stmt *s, int column)
{
    int type = sqlite3_column_type(s, column);
    bool is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    struct text value = {NULL, 0, 0};

    if (t->is_terminal && is_number && t->columns[column].is_duration)
        units_value(&value, sqlite3_column_int64(s, column), "nanoseconds");
    else
        print_value(&value, s, column);
    if (type != SQLITE_NULL && !is_number)
        t->columns[column].is_number = false;
    add_cell(t, &value);
    text_free(&value);
}

static void add_names(struct aligned_table *t, sqlite3_stmt *s)
{
    for (int column = 0; column < t->n_columns; column++) {
        const char *name = sqlite3_column_name(s, column);
        struct text value = {NULL, 0, 0};

        text_str(&value, name);
        add_cell(t, &value);
        text_free(&value);
        t->columns[column] =
            (struct aligned_column){.is_duration = is_duration(name), .is_number = true};
    }
}

/* ---- Rows -------------------------------------------------------------------------- */

static struct string cell_of(const struct aligned_table *t, size_t i)
{
    size_t start = i > 0 ? t->ends[i - 1] : 0;

    return (struct string){t->cells.data + start, t->ends[i] - start};
}

static void add_spaces(struct text *line, size_t n)
{
    while (n-- > 0)
        text_char(line, ' ');
}

static void add_aligned(struct text *line, const struct aligned_column *column,
                        struct string cell, bool is_last)
{
    size_t width = cell.size > 0 ? names_columns(cell.data, cell.size) : 0;
    size_t rest = column->width > width ? column->width - width : 0;

    if (column->is_number)
        add_spaces(line, rest);
    text_add(line, cell.data, cell.size);
    if (!column->is_number && !is_last)
        add_spaces(line, rest);
    if (!is_last)
        add_spaces(line, GAP);
}

static void write_rule(struct aligned_table *t, struct text *line)
{
    for (int column = 0; column < t->n_columns; column++) {
        for (size_t i = 0; i < t->columns[column].width; i++)
            text_char(line, '-');
        if (column + 1 < t->n_columns)
            add_spaces(line, GAP);
    }
    text_char(line, '\n');
}

/* Writes the rows that are held; the first of all has the names of the columns. */
static void write_held(struct aligned_table *t, bool is_first)
{
    struct text line = {NULL, 0, 0};

    for (size_t i = 0; i < t->n_ends; i++) {
        int column = (int)(i % (size_t)t->n_columns);
        bool is_last = column + 1 == t->n_columns;

        add_aligned(&line, &t->columns[column], cell_of(t, i), is_last);
        if (!is_last)
            continue;
        text_char(&line, '\n');
        if (is_first && i < (size_t)t->n_columns)
            write_rule(t, &line);
        output_text(t->output, &line);
    }
    t->cells.size = 0;
    t->n_ends = 0;
    text_free(&line);
}

static void measure(struct aligned_table *t)
{
    for (size_t i = 0; i < t->n_ends; i++) {
        struct aligned_column *column = &t->columns[i % (size_t)t->n_columns];
        struct string cell = cell_of(t, i);
        size_t width = cell.size > 0 ? names_columns(cell.data, cell.size) : 0;

        if (width > column->width)
            column->width = width;
    }
}

int print_table(sqlite3_stmt *s, struct output *output, bool is_terminal)
{
    struct aligned_table t = {.output = output, .is_terminal = is_terminal};
    size_t n_rows = 0;
    int code;

    t.n_columns = sqlite3_column_count(s);
    t.columns = (struct aligned_column *)memory_allocate((size_t)t.n_columns *
                                                         sizeof(*t.columns));
    add_names(&t, s);
    while ((code = sqlite3_step(s)) == SQLITE_ROW && !output_failed(output)) {
        for (int column = 0; column < t.n_columns; column++)
            add_value(&t, s, column);
        if (++n_rows == ROWS_HELD)
            measure(&t);
        if (n_rows >= ROWS_HELD)
            write_held(&t, n_rows == ROWS_HELD);
    }
    if (n_rows < ROWS_HELD && (n_rows > 0 || code == SQLITE_DONE)) {
        measure(&t);
        write_held(&t, true);
    }
    return code;
}
