/* SPDX-License-Identifier: BSD-2-Clause */
/* See grid.h. */
#include "grid.h"

#include "common/base/memory.h"
#include "common/base/quote.h"
#include "names.h"

/* Between columns; the least that a column of names gets; the most that names are padded
 * to where lines have no limit; and for how many columns of a function's name, if it
 * needs so many, the names beside it are cut to how many. */
enum { GAP = 2, NARROWEST = 8, MAX_PADDED = 100, NAME_WANTED = 44, MODULE_LEAST = 12 };

/* ---- The screen -------------------------------------------------------------------- */

void screen_style(struct text *text, const struct screen *screen, const char *style,
                  const char *string)
{
    if (style == NULL || !screen->has_color || string[0] == '\0') {
        text_str(text, string);
        return;
    }
    text_str(text, style);
    text_str(text, string);
    text_str(text, STYLE_END);
}

static void add_spaces(struct text *text, size_t n)
{
    while (n-- > 0)
        text_char(text, ' ');
}

/* A word that is longer than a line is cut. */
static size_t add_words(struct text *text, const struct screen *screen, size_t indent,
                        const char *data, size_t size)
{
    size_t room = screen->width - indent;
    size_t used = 0;

    for (size_t at = 0; at < size;) {
        size_t start = at;
        size_t columns;

        while (at < size && data[at] != ' ')
            at++;
        columns = names_columns(data + start, at - start);
        if (used > 0 && columns + 1 > room - used) {
            text_char(text, '\n');
            add_spaces(text, indent);
            used = 0;
        } else if (used > 0) {
            text_char(text, ' ');
            used++;
        }
        used += names_cut(text, data + start, at - start, room - used);
        at++;
    }
    return used;
}

void screen_wrap(struct text *text, const struct screen *screen, const char *first,
                 const char *data, size_t size)
{
    struct text quoted = {NULL, 0, 0};

    quote_text(&quoted, data, size);
    text_str(text, first);
    add_words(text, screen, names_columns(first, strlen(first)), quoted.data,
              quoted.size);
    text_char(text, '\n');
    text_free(&quoted);
}

/* ---- Tables ------------------------------------------------------------------------ */

void grid_start(struct grid *g, const struct grid_column *columns, size_t n_columns)
{
    *g = (struct grid){.columns = columns, .n_columns = n_columns};
}

static size_t n_rows(const struct grid *g)
{
    return g->n_cells / g->n_columns;
}

void grid_cell(struct grid *g)
{
    const struct grid_cell *last = g->n_cells > 0 ? &g->cells[g->n_cells - 1] : NULL;
    size_t start = last != NULL ? last->start + last->size : 0;

    if (g->n_cells % g->n_columns == 0) {
        g->styles =
            memory_grow(g->styles, n_rows(g), &g->style_capacity, sizeof(*g->styles));
        g->styles[n_rows(g)] = NULL;
    }
    MEMORY_ADD(g->cells, g->n_cells, g->cell_capacity,
               (struct grid_cell){start, g->text.size - start});
}

void grid_string(struct grid *g, const char *data, size_t size)
{
    text_add(&g->text, data, size);
    grid_cell(g);
}

void grid_style(struct grid *g, const char *style)
{
    g->styles[(g->n_cells - 1) / g->n_columns] = style;
}

/* Adds a cell in at most `width` columns, and returns how many it takes. */
static size_t add_cell(const struct grid *g, struct text *text, enum grid_kind kind,
                       const char *data, size_t size, size_t width)
{
    if (kind == GRID_NAME && g->has_plain_names)
        kind = GRID_PLAIN;
    switch (kind) {
    case GRID_NUMBER:
    case GRID_DRAWING:
        text_add(text, data, size);
        return names_columns(data, size);
    case GRID_NAME:
        return names_add(text, data, size, width);
    case GRID_PLAIN:
        return names_add_plain(text, data, size, width);
    case GRID_START:
        return names_add_start(text, data, size, width);
    }
    return 0;
}

/* How wide a column is if each cell takes at most `max` columns. */
static size_t column_width(const struct grid *g, size_t column, size_t max)
{
    const struct grid_column *c = &g->columns[column];
    struct text text = {NULL, 0, 0};
    size_t width = strlen(c->heading);

    for (size_t i = column; i < g->n_cells; i += g->n_columns) {
        const struct grid_cell *cell = &g->cells[i];
        size_t columns;

        text.size = 0;
        columns =
            add_cell(g, &text, c->kind, g->text.data + cell->start, cell->size, max);
        width = columns > width ? columns : width;
    }
    return width;
}

/* Makes columns whose cells can be cut narrower, but not narrower than `least`, until
 * `open` columns are left for the open one. `*used` are the columns of all others. */
static void shrink_columns(const struct grid *g, size_t *widths, size_t room, size_t open,
                           size_t least, size_t *used)
{
    for (size_t i = 0; i < g->n_columns; i++) {
        size_t lacking = *used + open > room ? *used + open - room : 0;

        if (g->columns[i].max == 0 || g->columns[i].kind == GRID_DRAWING ||
            widths[i] <= least)
            continue;
        if (lacking > widths[i] - least)
            lacking = widths[i] - least;
        widths[i] -= lacking;
        *used -= lacking;
    }
}

/* Adds remarks to the names in a column that would look alike. */
static void tell_apart(struct grid *g, size_t column, size_t width)
{
    size_t n = n_rows(g);
    struct string *names = memory_allocate(n * sizeof(*names));
    struct text *remarks = memory_allocate(n * sizeof(*remarks));

    for (size_t i = 0; i < n; i++) {
        const struct grid_cell *cell = &g->cells[i * g->n_columns + column];

        names[i] = (struct string){g->text.data + cell->start, cell->size};
    }
    names_tell_apart(names, n, width, remarks);
    for (size_t i = 0; i < n; i++) {
        struct grid_cell *cell = &g->cells[i * g->n_columns + column];
        size_t start = g->text.size;

        if (remarks[i].size > 0) {
            text_room(&g->text, cell->size + remarks[i].size);
            text_add(&g->text, g->text.data + cell->start, cell->size);
            text_add(&g->text, remarks[i].data, remarks[i].size);
            *cell = (struct grid_cell){start, g->text.size - start};
        }
        text_free(&remarks[i]);
    }
}

/* How wide the open column is. Names of functions are worth more than those of modules
 * beside them; the line of a name that is longer than the column is longer, too. */
static size_t open_width(struct grid *g, size_t *widths, size_t room, size_t open,
                         size_t used)
{
    size_t needed;

    if (g->columns[open].kind == GRID_NAME)
        shrink_columns(g, widths, room, column_width(g, open, NAME_WANTED), MODULE_LEAST,
                       &used);
    shrink_columns(g, widths, room, NARROWEST, NARROWEST, &used);
    room = used + NARROWEST <= room ? room - used : NARROWEST;
    if (g->columns[open].kind == GRID_NAME && !g->has_plain_names)
        tell_apart(g, open, room);
    needed = column_width(g, open, room);
    return needed < room ? needed : room;
}

static void find_widths(struct grid *g, const struct screen *screen, size_t *widths)
{
    size_t used = GAP * (g->n_columns - 1);
    size_t open = g->n_columns;

    for (size_t i = 0; i < g->n_columns; i++) {
        if (g->columns[i].max == 0 && g->columns[i].kind != GRID_NUMBER) {
            open = i;
            continue;
        }
        widths[i] = column_width(g, i, g->columns[i].max);
        used += widths[i];
    }
    if (open == g->n_columns)
        return;
    if (screen->width == NAMES_ANY_WIDTH)
        widths[open] = NAMES_ANY_WIDTH;
    else
        widths[open] = open_width(g, widths, screen->width, open, used);
}

/* Adds one cell and, unless it is the last of its line, what it lacks to its width. */
static void print_cell(const struct grid *g, const struct screen *screen,
                       struct text *text, size_t column, struct text *cell,
                       size_t columns, const char *style, size_t width)
{
    size_t padded =
        width < MAX_PADDED || screen->width != NAMES_ANY_WIDTH ? width : MAX_PADDED;
    size_t padding = columns < padded ? padded - columns : 0;
    bool is_number = g->columns[column].kind == GRID_NUMBER;

    if (column > 0)
        add_spaces(text, GAP);
    if (is_number)
        add_spaces(text, padding);
    text_char(cell, '\0');
    screen_style(text, screen, style, cell->data);
    if (!is_number && column + 1 < g->n_columns)
        add_spaces(text, padding);
}

static void print_headings(const struct grid *g, const struct screen *screen,
                           const size_t *widths, struct text *text)
{
    struct text cell = {NULL, 0, 0};

    for (size_t i = 0; i < g->n_columns; i++) {
        cell.size = 0;
        text_str(&cell, g->columns[i].heading);
        print_cell(g, screen, text, i, &cell, cell.size, STYLE_FAINT, widths[i]);
    }
    text_char(text, '\n');
}

static void print_row(const struct grid *g, const struct screen *screen,
                      const size_t *widths, size_t row, struct text *text)
{
    struct text shown = {NULL, 0, 0};

    for (size_t i = 0; i < g->n_columns; i++) {
        const struct grid_cell *cell = &g->cells[row * g->n_columns + i];
        size_t columns;

        shown.size = 0;
        columns = add_cell(g, &shown, g->columns[i].kind, g->text.data + cell->start,
                           cell->size, widths[i]);
        print_cell(g, screen, text, i, &shown, columns, g->styles[row], widths[i]);
    }
    text_char(text, '\n');
    text_free(&shown);
}

void grid_end(struct grid *g, const struct screen *screen, struct text *text)
{
    size_t widths[GRID_COLUMNS_MAX] = {0};

    find_widths(g, screen, widths);
    print_headings(g, screen, widths, text);
    for (size_t i = 0; i < n_rows(g); i++)
        print_row(g, screen, widths, i, text);
}
