/* SPDX-License-Identifier: BSD-2-Clause */
/* See columns.h. */
#include "columns.h"

#include "plain.h"

void columns_end_cell(struct columns *columns)
{
    MEMORY_ADD(columns->ends, columns->n_cells, columns->capacity, columns->cells.size);
}

void columns_start(struct columns *columns, const char *headings)
{
    *columns = (struct columns){0};
    while (*headings != '\0') {
        size_t size = strcspn(headings, " ");

        text_add(&columns->cells, headings, size);
        columns_end_cell(columns);
        headings += size + strspn(headings + size, " ");
    }
    columns->n_columns = columns->n_cells;
}

void columns_u64(struct columns *columns, uint64_t number)
{
    text_u64(&columns->cells, number);
    columns_end_cell(columns);
}

void columns_share(struct columns *columns, uint64_t part, uint64_t whole)
{
    /* Both may be too large for a product; a share needs few of their bits. */
    while (whole > UINT64_MAX / 1000) {
        part /= 2;
        whole /= 2;
    }
    part = whole > 0 ? (part * 1000 + whole / 2) / whole : 0;
    text_u64(&columns->cells, part / 10);
    text_char(&columns->cells, '.');
    text_u64(&columns->cells, part % 10);
    columns_end_cell(columns);
}

void columns_ns(struct columns *columns, uint64_t ns)
{
    plain_ns(&columns->cells, ns);
    columns_end_cell(columns);
}

static size_t start_of(const struct columns *columns, size_t cell)
{
    return cell > 0 ? columns->ends[cell - 1] : 0;
}

static void find_widths(const struct columns *columns, size_t *widths)
{
    for (size_t i = 0; i < columns->n_cells; i++) {
        size_t size = columns->ends[i] - start_of(columns, i);
        size_t *width = &widths[i % columns->n_columns];

        if (size > *width)
            *width = size;
    }
}

static void print_row(struct text *out, const struct columns *columns, size_t row,
                      const size_t *widths)
{
    for (size_t i = 0; i < columns->n_columns; i++) {
        size_t cell = row * columns->n_columns + i;
        size_t start = start_of(columns, cell);
        size_t size = columns->ends[cell] - start;
        size_t spaces = i + 1 < columns->n_columns ? widths[i] - size : 0;

        memset(text_room(out, spaces + 2), ' ', spaces + 2);
        out->size += i > 0 ? spaces + 2 : spaces;
        text_add(out, columns->cells.data + start, size);
    }
}

static void print_rows(struct text *out, const struct print_context *context,
                       const struct columns *columns)
{
    size_t widths[COLUMNS_MAX] = {0};

    find_widths(columns, widths);
    text_char(out, '\n');
    plain_style(out, context, PLAIN_BOLD);
    print_row(out, columns, 0, widths);
    plain_style_end(out, context);
    text_char(out, '\n');
    for (size_t row = 1; row < columns->n_cells / columns->n_columns; row++) {
        print_row(out, columns, row, widths);
        plain_end(out);
    }
}

void columns_print(struct text *out, const struct print_context *context,
                   struct columns *columns)
{
    if (columns->n_cells > columns->n_columns)
        print_rows(out, context, columns);
    memory_release(columns->ends);
    text_free(&columns->cells);
}
