/* SPDX-License-Identifier: BSD-2-Clause */
/* A table for a terminal, whose columns are as wide as what is in them, but for one that
 * takes what is left of the line. */
#ifndef FXTREPORT_GRID_H
#define FXTREPORT_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/text.h"

/* Styles of a terminal: what switches them on, and off. */
#define STYLE_BOLD "\033[1m"
#define STYLE_FAINT "\033[2m"
#define STYLE_MORE "\033[31m"
#define STYLE_LESS "\033[34m"
#define STYLE_END "\033[m"

/* Where reports are printed. */
struct screen {
    /* In columns; NAMES_ANY_WIDTH for no limit. */
    size_t width;
    bool has_color;
};

/* Adds text in a style, which is ignored where there are no colors; NULL for none. */
void screen_style(struct text *text, const struct screen *screen, const char *style,
                  const char *string);

/* Adds a paragraph whose first line begins with `first`, and the others with as many
 * spaces; words are separated by single spaces. `data` may be hostile. */
void screen_wrap(struct text *text, const struct screen *screen, const char *first,
                 const char *data, size_t size);

enum grid_kind {
    /* To the right, and never cut. */
    GRID_NUMBER,
    /* To the left: the name of a function; of something else; or text that is cut at its
     * end. */
    GRID_NAME,
    GRID_PLAIN,
    GRID_START,
    /* To the left, as it is. */
    GRID_DRAWING
};

struct grid_column {
    const char *heading;
    enum grid_kind kind;
    /* The most columns it takes; 0 for the rest of the line, which one column has. */
    size_t max;
};

enum { GRID_COLUMNS_MAX = 12 };

struct grid_cell {
    /* Where it is in `text`. */
    size_t start;
    size_t size;
};

struct grid {
    const struct grid_column *columns;
    size_t n_columns;
    /* GRID_NAME is as GRID_PLAIN: these names are not of functions. */
    bool has_plain_names;
    struct text text;
    struct grid_cell *cells;
    size_t n_cells;
    size_t cell_capacity;
    /* The style of each row, or NULL. */
    const char **styles;
    size_t style_capacity;
};

/* The columns must stay in place. */
void grid_start(struct grid *grid, const struct grid_column *columns, size_t n_columns);

/* Adds the next cell: what was appended to grid->text since the last one. */
void grid_cell(struct grid *grid);
void grid_string(struct grid *grid, const char *data, size_t size);

/* The row that has been begun last gets a style. */
void grid_style(struct grid *grid, const char *style);

/* Prints headings and rows. */
void grid_end(struct grid *grid, const struct screen *screen, struct text *text);

#endif
