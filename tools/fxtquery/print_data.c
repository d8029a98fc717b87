/* SPDX-License-Identifier: BSD-2-Clause */
/* See print.h: forms for programs. */
#include "print.h"

#include <math.h>
#include <string.h>

#include "common/base/quote.h"

static void add_double(struct text *text, double value)
{
    if (isfinite(value))
        text_double(text, value);
    else
        text_str(text, value > 0 ? "inf" : "-inf");
}

void print_value(struct text *text, sqlite3_stmt *s, int column)
{
    switch (sqlite3_column_type(s, column)) {
    case SQLITE_INTEGER:
        text_i64(text, sqlite3_column_int64(s, column));
        break;
    case SQLITE_FLOAT:
        add_double(text, sqlite3_column_double(s, column));
        break;
    case SQLITE_TEXT:
        text_add(text, sqlite3_column_text(s, column),
                 (size_t)sqlite3_column_bytes(s, column));
        break;
    case SQLITE_BLOB:
        text_hex_bytes(text, sqlite3_column_blob(s, column),
                       (size_t)sqlite3_column_bytes(s, column));
        break;
    default:
        break;
    }
}

/* ---- CSV --------------------------------------------------------------------------- */

static void add_field(struct text *line, const struct text *value)
{
    bool is_plain = true;

    for (size_t i = 0; i < value->size && is_plain; i++)
        is_plain = strchr(",\"\r\n", value->data[i]) == NULL;
    if (is_plain) {
        text_add(line, value->data, value->size);
        return;
    }
    text_char(line, '"');
    for (size_t i = 0; i < value->size; i++) {
        if (value->data[i] == '"')
            text_char(line, '"');
        text_char(line, value->data[i]);
    }
    text_char(line, '"');
}

/* A column's value or, before the first row, its name. */
static void add_csv(struct text *line, sqlite3_stmt *s, int column, bool is_name,
                    bool is_terminal)
{
    struct text value = {NULL, 0, 0};
    struct text shown = {NULL, 0, 0};

    if (is_name)
        text_str(&value, sqlite3_column_name(s, column));
    else
        print_value(&value, s, column);
    if (is_terminal)
        quote_text(&shown, value.data, value.size);
    if (column > 0)
        text_char(line, ',');
    add_field(line, is_terminal ? &shown : &value);
    text_free(&value);
    text_free(&shown);
}

static void write_csv(struct output *output, sqlite3_stmt *s, bool is_names,
                      bool is_terminal)
{
    struct text line = {NULL, 0, 0};

    for (int column = 0; column < sqlite3_column_count(s); column++)
        add_csv(&line, s, column, is_names, is_terminal);
    text_char(&line, '\n');
    output_text(output, &line);
    text_free(&line);
}

int print_csv(sqlite3_stmt *s, struct output *output, bool is_terminal)
{
    int code = sqlite3_step(s);

    if (code == SQLITE_ROW || code == SQLITE_DONE)
        write_csv(output, s, true, is_terminal);
    for (; code == SQLITE_ROW && !output_failed(output); code = sqlite3_step(s))
        write_csv(output, s, false, is_terminal);
    return code;
}

/* ---- JSON -------------------------------------------------------------------------- */

static void add_json(struct text *line, sqlite3_stmt *s, int column)
{
    int type = sqlite3_column_type(s, column);
    struct text value = {NULL, 0, 0};

    print_value(&value, s, column);
    if (type == SQLITE_NULL ||
        (type == SQLITE_FLOAT && !isfinite(sqlite3_column_double(s, column))))
        text_str(line, "null");
    else if (type == SQLITE_TEXT || type == SQLITE_BLOB)
        quote_json(line, value.data, value.size);
    else
        text_add(line, value.data, value.size);
    text_free(&value);
}

int print_json(sqlite3_stmt *s, struct output *output)
{
    struct text line = {NULL, 0, 0};
    const char *separator = "[\n";
    int code;

    while ((code = sqlite3_step(s)) == SQLITE_ROW && !output_failed(output)) {
        text_str(&line, separator);
        for (int column = 0; column < sqlite3_column_count(s); column++) {
            const char *name = sqlite3_column_name(s, column);

            text_char(&line, column == 0 ? '{' : ',');
            quote_json(&line, name, strlen(name));
            text_char(&line, ':');
            add_json(&line, s, column);
        }
        text_char(&line, '}');
        output_text(output, &line);
        separator = ",\n";
    }
    if (code == SQLITE_DONE)
        text_str(&line, separator[0] == '[' ? "[]\n" : "\n]\n");
    output_text(output, &line);
    return code;
}

/* ---- Folded stacks ----------------------------------------------------------------- */

const char *print_folded_misfit(sqlite3_stmt *s)
{
    return sqlite3_column_count(s) == 2
               ? NULL
               : "--folded needs two columns, a stack and a number";
}

/* Each of the names, which have semicolons between them. */
static void add_stack(struct text *line, const char *data, size_t size)
{
    while (true) {
        const char *end = (const char *)memchr(data, ';', size);
        size_t n = end != NULL ? (size_t)(end - data) : size;

        quote_frame(line, data, n);
        if (end == NULL)
            return;
        text_char(line, ';');
        data += n + 1;
        size -= n + 1;
    }
}

/* Adds the number, of which programs that read it take no exponent and no sign. Returns
 * false if there is none. */
static bool add_weight(struct text *line, sqlite3_stmt *s)
{
    double number = sqlite3_column_double(s, 1);

    switch (sqlite3_column_type(s, 1)) {
    case SQLITE_INTEGER:
        text_i64(line, sqlite3_column_int64(s, 1));
        return number >= 0;
    case SQLITE_FLOAT:
        text_printf(line, number == floor(number) ? "%.0f" : "%.6f", number);
        return number >= 0 && isfinite(number);
    default:
        return false;
    }
}

/* Returns false for a row that cannot be one; `stack` is room for its stack. */
static bool make_line(struct text *line, struct text *stack, sqlite3_stmt *s)
{
    line->size = 0;
    stack->size = 0;
    print_value(stack, s, 0);
    if (stack->size == 0)
        return false;
    add_stack(line, stack->data, stack->size);
    text_char(line, ' ');
    return add_weight(line, s);
}

int print_folded(sqlite3_stmt *s, struct output *output, uint64_t *n_left_out)
{
    struct text line = {NULL, 0, 0};
    struct text stack = {NULL, 0, 0};
    int code;

    *n_left_out = 0;
    while ((code = sqlite3_step(s)) == SQLITE_ROW && !output_failed(output)) {
        if (!make_line(&line, &stack, s)) {
            ++*n_left_out;
            continue;
        }
        text_char(&line, '\n');
        output_text(output, &line);
    }
    return code;
}
