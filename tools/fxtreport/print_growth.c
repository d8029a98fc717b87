/* SPDX-License-Identifier: BSD-2-Clause */
/* See print.h: the points of a series of heaps. */
#include "print.h"
#include "units.h"

static const struct grid_column columns[] = {
    {"point", GRID_NUMBER, 0},     {"time", GRID_NUMBER, 0},
    {"live", GRID_NUMBER, 0},      {"blocks", GRID_NUMBER, 0},
    {"allocated", GRID_NUMBER, 0}, {"bytes/s", GRID_NUMBER, 0},
    {"blocks/s", GRID_NUMBER, 0},  {"processes", GRID_NUMBER, 0},
};

/* How many rows there are at most, unless the user says it. */
enum { POINTS_SHOWN = 20 };

enum { N_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static int64_t to_value(uint64_t number)
{
    return number <= INT64_MAX ? (int64_t)number : INT64_MAX;
}

/* How many there were a second, since the row before or the start. */
static void add_rate(struct grid *grid, uint64_t n, uint64_t time_ns, const char *unit)
{
    double rate = time_ns > 0 ? (double)n / ((double)time_ns / 1e9) : 0;

    units_value(&grid->text, rate < 9e18 ? (int64_t)(rate + 0.5) : INT64_MAX, unit);
    grid_cell(grid);
}

static void add_bytes(struct grid *grid, uint64_t bytes)
{
    units_value(&grid->text, to_value(bytes), "bytes");
    grid_cell(grid);
}

/* `before` is the row before, or zeros. */
static void add_row(struct grid *grid, const struct fxt_profile_heap_point *point,
                    const struct fxt_profile_heap_point *before)
{
    uint64_t time_ns = point->since_start_ns - before->since_start_ns;

    units_number(&grid->text, point->number);
    grid_cell(grid);
    text_printf(&grid->text, "%.3f s", (double)point->since_start_ns / 1e9);
    grid_cell(grid);
    add_bytes(grid, point->live_bytes);
    units_count(&grid->text, point->live_blocks);
    grid_cell(grid);
    add_bytes(grid, point->allocated_bytes);
    add_rate(grid, point->allocated_bytes - before->allocated_bytes, time_ns, "bytes");
    add_rate(grid, point->allocated_blocks - before->allocated_blocks, time_ns, "count");
    units_number(&grid->text, point->n_processes);
    grid_cell(grid);
    grid_style(grid, point->is_shown ? STYLE_BOLD : NULL);
}

/* Of many points, rows are as far apart as they can be, the last one among them. */
static size_t row_point(size_t row, size_t n_rows, size_t n_points)
{
    return (size_t)((double)(row + 1) * (double)n_points / (double)n_rows) - 1;
}

void print_growth(const struct view *v, struct text *text)
{
    const struct fxt_profile *profile = v->now.profile;
    size_t n_points = fxt_profile_n_heap_points(profile);
    size_t n = view_rows(v, n_points, POINTS_SHOWN);
    struct fxt_profile_heap_point before = {.number = 0};
    struct grid grid;
    size_t row = 0;

    if (n_points < 2)
        return;
    text_char(text, '\n');
    screen_style(text, &v->screen, STYLE_BOLD, "Growth");
    if (n < n_points)
        text_printf(text, ", %zu of %zu points (--rows 0 shows all)", n, n_points);
    text_char(text, '\n');
    grid_start(&grid, columns, N_COLUMNS);
    for (size_t i = 0; i < n_points; i++) {
        struct fxt_profile_heap_point point;

        fxt_profile_get_heap_point(profile, i, &point);
        if (point.is_first)
            before = (struct fxt_profile_heap_point){.number = 0};
        if (i != row_point(row, n, n_points))
            continue;
        add_row(&grid, &point, &before);
        before = point;
        row++;
    }
    grid_end(&grid, &v->screen, text);
}
