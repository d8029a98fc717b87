/* SPDX-License-Identifier: BSD-2-Clause */
/* See print.h: trees. */
#include <string.h>

#include "common/base/memory.h"
#include "names.h"
#include "print.h"
#include "tree.h"
#include "units.h"

/* Columns before the names; and the most that they are indented by, beyond which the
 * depth is printed instead. */
enum { MIN_WEIGHT_COLUMNS = 10, SHARE_COLUMNS = 6, INDENT_MAX = 20 };

struct tree_printer {
    const struct view *view;
    const struct measure *measure;
    const struct tree *tree;
    /* By the tree's lines, how far their names are indented. */
    uint32_t *indents;
    /* At least the columns of the total, which is the longest. */
    size_t weight_columns;
    struct text *text;
    struct text cell;
};

/* A tree of callers, where no line has its own weight. */
static bool is_inverted(const struct tree_printer *p)
{
    return p->view->settings->view == VIEW_CALLERS;
}

static void add_spaces(struct text *text, size_t n)
{
    while (n-- > 0)
        text_char(text, ' ');
}

/* To the right. */
static void add_right(struct tree_printer *p, size_t width, const char *style)
{
    size_t columns = names_columns(p->cell.data, p->cell.size);

    add_spaces(p->text, columns < width ? width - columns : 0);
    text_char(&p->cell, '\0');
    screen_style(p->text, &p->view->screen, style, p->cell.data);
    p->cell.size = 0;
}

static size_t choose_weight_columns(const struct weights *w)
{
    struct text total = {NULL, 0, 0};
    size_t columns;

    units_value(&total, w->total.value, w->type.unit);
    columns = names_columns(total.data, total.size);
    return columns > MIN_WEIGHT_COLUMNS ? columns : MIN_WEIGHT_COLUMNS;
}

static void add_numbers(struct tree_printer *p, const struct tree_line *line,
                        struct weight self)
{
    const struct weights *w = &p->view->now.weights;

    units_share(&p->cell, (double)line->total.value, (double)w->total.value);
    add_right(p, SHARE_COLUMNS, NULL);
    units_value(&p->cell, line->total.value, w->type.unit);
    add_right(p, p->weight_columns + 1, NULL);
    if (!is_inverted(p)) {
        if (self.value != 0)
            units_value(&p->cell, self.value, w->type.unit);
        add_right(p, p->weight_columns + 1, NULL);
    }
    text_str(p->text, "  ");
}

/* The only caller or callee, which stands on the same line. */
static bool is_chained(const struct tree *tree, size_t i)
{
    const struct tree_line *line = &tree->lines[i];

    return line->n_children == 1 && line->self.value == 0 && i + 1 < tree->n &&
           tree->lines[i + 1].row != TREE_NONE;
}

/* Adds a name after `used` columns of others, or on a separate line if there is no room
 * for it. Returns the columns that are used then. */
static size_t add_chained(struct tree_printer *p, uint32_t row, size_t indent,
                          size_t used)
{
    /* Every line may end in an arrow. */
    size_t room = p->view->screen.width - indent - strlen(" >");
    struct text name = {NULL, 0, 0};
    struct text shown = {NULL, 0, 0};
    size_t columns;

    print_function(&p->measure->rows[row], &name);
    columns = view_is_of_functions(p->view)
                  ? names_add(&shown, name.data, name.size, room)
                  : names_add_plain(&shown, name.data, name.size, room);
    if (used > 0) {
        text_str(p->text, is_inverted(p) ? " <" : " >");
        used += strlen(" > ");
        if (used + columns <= room) {
            text_char(p->text, ' ');
        } else {
            text_char(p->text, '\n');
            add_spaces(p->text, indent);
            used = 0;
        }
    }
    text_add(p->text, shown.data, shown.size);
    text_free(&name);
    text_free(&shown);
    return used + columns;
}

/* Prints a line with those that are chained to it; returns how many these are. */
static size_t print_chain(struct tree_printer *p, size_t first)
{
    const struct tree *tree = p->tree;
    size_t n_weights = is_inverted(p) ? 1 : 2;
    size_t numbers = SHARE_COLUMNS + n_weights * (p->weight_columns + 1) + 2;
    size_t indent = p->indents[first];
    size_t last = first;
    size_t used = 0;

    while (is_chained(tree, last))
        last++;
    add_numbers(p, &tree->lines[first], tree->lines[last].self);
    if (indent > INDENT_MAX) {
        text_printf(&p->cell, "%u: ", tree->lines[first].depth);
        indent = INDENT_MAX;
    }
    add_spaces(p->text, indent);
    indent += numbers + p->cell.size;
    text_add(p->text, p->cell.data, p->cell.size);
    p->cell.size = 0;
    for (size_t i = first; i <= last; i++)
        used = add_chained(p, tree->lines[i].row, indent, used);
    text_char(p->text, '\n');
    for (size_t i = first; i <= last; i++)
        p->indents[i] = p->indents[first];
    return last - first + 1;
}

static void print_cut(struct tree_printer *p, const struct tree_line *line, size_t indent)
{
    indent = indent < INDENT_MAX ? indent : INDENT_MAX;
    add_numbers(p, line, (struct weight){0, 0});
    add_spaces(p->text, indent);
    text_str(&p->cell, "... ");
    units_number(&p->cell, line->n_cut);
    text_str(&p->cell, line->n_cut == 1 ? " branch" : " branches");
    text_char(&p->cell, '\0');
    screen_style(p->text, &p->view->screen, STYLE_FAINT, p->cell.data);
    p->cell.size = 0;
    text_char(p->text, '\n');
}

static void print_lines(struct tree_printer *p)
{
    enum { STEP = 2 };

    for (size_t i = 0; i < p->tree->n;) {
        const struct tree_line *line = &p->tree->lines[i];
        uint32_t above = line->parent != TREE_NONE ? p->indents[line->parent] + STEP : 0;

        p->indents[i] = above;
        if (line->row == TREE_NONE) {
            print_cut(p, line, above);
            i++;
        } else {
            i += print_chain(p, i);
        }
    }
}

static void print_headings(struct tree_printer *p)
{
    const struct view *v = p->view;

    text_str(&p->cell, "total");
    add_right(p, SHARE_COLUMNS + p->weight_columns + 1, STYLE_FAINT);
    if (!is_inverted(p)) {
        text_str(&p->cell, "self");
        add_right(p, p->weight_columns + 1, STYLE_FAINT);
    }
    text_str(p->text, "  ");
    screen_style(p->text, &v->screen, STYLE_FAINT,
                 is_inverted(p) ? "function < its callers" : "function > what it calls");
    text_char(p->text, '\n');
}

/* What is cut off has weights that the heading of the tree explains. */
static void print_footer(struct tree_printer *p)
{
    for (size_t i = 0; i < p->tree->n; i++) {
        if (p->tree->lines[i].n_cut == 0)
            continue;
        text_printf(&p->cell,
                    "Branches below %u.%02u %% of all are summed up; --min 0 "
                    "shows them.",
                    (unsigned)(p->view->settings->min_share / 100),
                    (unsigned)(p->view->settings->min_share % 100));
        screen_wrap(p->text, &p->view->screen, "", p->cell.data, p->cell.size);
        return;
    }
}

bool print_tree(const struct view *v, struct text *text)
{
    struct measure measure;
    struct tree tree;
    struct tree_printer printer = {
        .view = v, .measure = &measure, .tree = &tree, .text = text};
    bool found;

    view_make_tree(v, &measure, &tree);
    found = tree.n > 0 || v->now.weights.total.value == 0;
    print_header(v, &v->now, text);
    text_char(text, '\n');
    if (tree.n > 0) {
        printer.indents = memory_allocate(tree.n * sizeof(*printer.indents));
        printer.weight_columns = choose_weight_columns(&v->now.weights);
        print_headings(&printer);
        print_lines(&printer);
        print_footer(&printer);
    }
    return found;
}
