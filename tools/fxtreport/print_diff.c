/* SPDX-License-Identifier: BSD-2-Clause */
/* See print.h: differences. */
#include <string.h>

#include "diff.h"
#include "events/print_events.h"
#include "print.h"
#include "units.h"

enum { DIFF_SHOWN = 30, MODULE_COLUMNS = 24 };

enum { NAME_COLUMN = 5, MODULE_COLUMN, N_COLUMNS };

static const struct grid_column diff_columns[N_COLUMNS] = {
    {"before", GRID_NUMBER, 0},
    {"after", GRID_NUMBER, 0},
    {"change", GRID_NUMBER, 0},
    {"noise", GRID_NUMBER, 0},
    {"", GRID_PLAIN, 4},
    {"function", GRID_NAME, 0},
    {"module", GRID_START, MODULE_COLUMNS}};

/* Without numbers, which differ. */
static void add_name(const struct measure_row *row, enum measure_by by, struct text *text)
{
    if (by != BY_PROCESS && by != BY_THREAD) {
        print_name(row, by, text);
        if (by == BY_LINE && row->line == 0)
            print_function(row, text);
        return;
    }
    if (by == BY_THREAD && row->process_name.size > 0) {
        text_add(text, row->process_name.data, row->process_name.size);
        text_str(text, ": ");
    }
    if (row->name.size > 0)
        text_add(text, row->name.data, row->name.size);
    else
        text_str(text, print_noun(by));
}

static void add_change(const struct view *v, const struct diff_row *row,
                       struct text *text)
{
    if (!view_is_of_heaps(v)) {
        text_printf(text, "%+.1f%%", 100 * row->change);
        return;
    }
    if (row->change > 0)
        text_char(text, '+');
    units_value(text, (int64_t)row->change, v->now.weights.type.unit);
}

static void add_amount(const struct view *v, int64_t value, double share,
                       struct grid *grid)
{
    if (view_is_of_heaps(v))
        units_value(&grid->text, value, v->now.weights.type.unit);
    else
        text_printf(&grid->text, "%.1f%%", 100 * share);
    grid_cell(grid);
}

static void add_numbers(const struct view *v, const struct diff_row *row,
                        struct grid *grid)
{
    add_amount(v, row->before.value, row->before_share, grid);
    add_amount(v, row->after.value, row->after_share, grid);
    add_change(v, row, &grid->text);
    grid_cell(grid);
    if (row->noise > 0)
        text_printf(&grid->text, "%.1f%%", 100 * row->noise);
    grid_cell(grid);
    text_str(&grid->text, !row->was_there ? "new" : !row->is_there ? "gone" : "");
    grid_cell(grid);
}

static void print_rows(const struct view *v, const struct diff *d, enum measure_by by,
                       struct text *text)
{
    size_t shown = view_rows(v, d->n_changed, DIFF_SHOWN);
    struct grid_column columns[N_COLUMNS];
    struct grid grid;

    memcpy(columns, diff_columns, sizeof(columns));
    if (by != BY_FUNCTION) {
        columns[NAME_COLUMN].heading = print_noun(by);
        columns[NAME_COLUMN].kind = GRID_PLAIN;
    }
    grid_start(&grid, columns, by == BY_FUNCTION ? N_COLUMNS : MODULE_COLUMN);
    grid.has_plain_names = !view_is_of_functions(v);
    for (size_t i = 0; i < shown; i++) {
        const struct diff_row *row = &d->rows[i];

        add_numbers(v, row, &grid);
        add_name(row->row, by, &grid.text);
        grid_cell(&grid);
        if (by == BY_FUNCTION) {
            struct string module = measure_module(row->row);

            grid_string(&grid, module.data, module.size);
        }
        grid_style(&grid, row->change > 0 ? STYLE_MORE : STYLE_LESS);
    }
    grid_end(&grid, &v->screen, text);
    if (shown < d->n_changed) {
        text_str(text, "... ");
        units_number(text, d->n_changed - shown);
        text_str(text, " more have changed (--rows 0 shows all)\n");
    }
}

static void print_unchanged(const struct view *v, const struct diff *d,
                            enum measure_by by, struct text *text)
{
    size_t n = d->n - d->n_changed;

    if (n == 0)
        return;
    text_str(text, view_is_of_heaps(v) ? "unchanged: " : "unchanged within noise: ");
    units_number(text, n);
    text_char(text, ' ');
    text_str(text, print_noun(by));
    if (n > 1)
        text_str(text, by == BY_PROCESS ? "es" : "s");
    text_str(text, " with ");
    units_share(text, d->unchanged_share, 1);
    text_char(text, '\n');
}

static void print_one(const struct view *v, const char *which,
                      const struct recorded *recorded, struct text *text)
{
    screen_style(text, &v->screen, STYLE_FAINT, which);
    text_char(text, '\n');
    print_header(v, recorded, text);
}

static void print_samples(const struct view *v, struct text *text)
{
    struct measure before;
    struct measure after;
    struct diff diff;

    view_make_diff(v, &before, &after, &diff);
    text_char(text, '\n');
    if (diff.n_changed == 0)
        text_str(text, "Nothing has changed.\n");
    else
        print_rows(v, &diff, after.by, text);
    print_unchanged(v, &diff, after.by, text);
}

static bool has_spans(const struct recorded *recorded)
{
    return fxt_profile_n_summaries(recorded->profile, FXT_PROFILE_SUMMARY_SPANS) > 0;
}

/* Spans are compared as such, and not as samples. */
void print_diff(const struct view *v, struct text *text)
{
    bool has_events = has_spans(&v->now) || has_spans(&v->before);

    print_one(v, "before", &v->before, text);
    print_one(v, "after", &v->now, text);
    if (!has_events ||
        (v->settings->view != VIEW_SPANS && fxt_profile_n_samples(v->now.profile) > 0))
        print_samples(v, text);
    if (has_events)
        print_event_diff(v, text);
}
