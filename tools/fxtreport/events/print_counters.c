/* SPDX-License-Identifier: BSD-2-Clause */
/* See print_events.h: counters, and what threads did. */
#include <string.h>

#include "drawing.h"
#include "print_events.h"
#include "tools/fxtreport/units.h"

enum { LINE_COLUMNS = 12, WIDE_LINE_COLUMNS = 30, NAME_COLUMNS = 30 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void print_title(const struct view *v, const char *title, size_t n,
                        const char *noun, struct text *text)
{
    text_char(text, '\n');
    screen_style(text, &v->screen, STYLE_BOLD, title);
    text_str(text, "  ");
    units_number(text, n);
    text_char(text, ' ');
    text_str(text, noun);
    if (strcmp(noun, "series") != 0)
        text_str(text, text_plural(n));
    text_char(text, '\n');
}

/* ---- Counters ---------------------------------------------------------------------- */

static const struct grid_column counter_columns[] = {
    {"count", GRID_NUMBER, 0}, {"min", GRID_NUMBER, 0},
    {"mean", GRID_NUMBER, 0},  {"max", GRID_NUMBER, 0},
    {"last", GRID_NUMBER, 0},  {"over time", GRID_DRAWING, LINE_COLUMNS},
    {"counter", GRID_PLAIN, 0}};

static bool is_same(const struct fxt_profile_counter *a, const struct fxt_string *name,
                    const struct fxt_string *series)
{
    return a->name.size == name->size && a->series.size == series->size &&
           memcmp(a->name.data, name->data, name->size) == 0 &&
           memcmp(a->series.data, series->data, series->size) == 0;
}

/* Series of one name are next to each other; their processes tell them apart. */
static bool has_same_name(const struct fxt_profile *profile, size_t i,
                          const struct fxt_profile_counter *counter)
{
    struct fxt_profile_counter other;

    if (i > 0 && fxt_profile_get_counter(profile, i - 1, &other) == FXT_OK &&
        is_same(&other, &counter->name, &counter->series))
        return true;
    return fxt_profile_get_counter(profile, i + 1, &other) == FXT_OK &&
           is_same(&other, &counter->name, &counter->series);
}

/* "name: series 7 process[100]": the counter's id unless it is 0, and its process where
 * others have that name. */
static void add_name(const struct fxt_profile *profile, size_t i,
                     const struct fxt_profile_counter *c, struct text *text)
{
    text_add(text, c->name.data, c->name.size);
    if (c->series.size > 0) {
        text_str(text, ": ");
        text_add(text, c->series.data, c->series.size);
    }
    if (c->id != 0)
        text_printf(text, " %llu", (unsigned long long)c->id);
    if (!has_same_name(profile, i, c))
        return;
    text_char(text, ' ');
    if (c->process_name.size > 0)
        text_add(text, c->process_name.data, c->process_name.size);
    else
        text_str(text, "process");
    text_printf(text, "[%llu]", (unsigned long long)c->process);
}

static void add_value(struct grid *grid, double value)
{
    units_decimal(&grid->text, value);
    grid_cell(grid);
}

static void add_counter(const struct view *v, size_t i, struct grid *grid)
{
    struct fxt_profile_counter counter;
    struct counter_numbers numbers;
    uint64_t first_ns;
    uint64_t last_ns;

    fxt_profile_get_counter(v->now.profile, i, &counter);
    fxt_profile_summary_times(v->now.profile, &first_ns, &last_ns);
    numbers = counter_numbers_of(&counter);
    units_count(&grid->text, counter.n_values);
    grid_cell(grid);
    add_value(grid, numbers.min);
    add_value(grid, numbers.mean);
    add_value(grid, numbers.max);
    add_value(grid, numbers.last);
    drawing_of_values(&grid->text, &counter, first_ns, last_ns,
                      view_is_wide(v) ? WIDE_LINE_COLUMNS : LINE_COLUMNS);
    grid_cell(grid);
    add_name(v->now.profile, i, &counter, &grid->text);
    grid_cell(grid);
}

void print_counters(const struct view *v, size_t shown, struct text *text)
{
    size_t n = fxt_profile_n_counters(v->now.profile);
    struct grid grid;

    if (n == 0)
        return;
    print_title(v, "Counters", n, "series", text);
    grid_start(&grid, counter_columns, COUNT(counter_columns));
    for (size_t i = 0; i < shown; i++)
        add_counter(v, i, &grid);
    grid_end(&grid, &v->screen, text);
    units_rest(text, n - shown, "series", "series");
}

/* ---- Threads ----------------------------------------------------------------------- */

static const struct grid_column thread_columns[] = {
    {"run", GRID_NUMBER, 0},     {"wait", GRID_NUMBER, 0},
    {"blocked", GRID_NUMBER, 0}, {"switches", GRID_NUMBER, 0},
    {"thread", GRID_PLAIN, 0},   {"process", GRID_PLAIN, NAME_COLUMNS}};

static void add_time(struct grid *grid, uint64_t ns)
{
    units_time(&grid->text, ns);
    grid_cell(grid);
}

static void add_object(struct grid *grid, struct fxt_string name, const char *noun,
                       uint64_t number)
{
    if (name.size > 0)
        text_add(&grid->text, name.data, name.size);
    else
        text_str(&grid->text, number > 0 ? noun : "-");
    if (number > 0)
        text_printf(&grid->text, "[%llu]", (unsigned long long)number);
    grid_cell(grid);
}

void print_thread_times(const struct view *v, size_t shown, struct text *text)
{
    size_t n = fxt_profile_n_thread_times(v->now.profile);
    struct grid grid;

    if (n == 0)
        return;
    print_title(v, "Scheduling", n, "thread", text);
    grid_start(&grid, thread_columns, COUNT(thread_columns));
    for (size_t i = 0; i < shown; i++) {
        struct fxt_profile_thread_times t;

        fxt_profile_get_thread_times(v->now.profile, i, &t);
        add_time(&grid, t.run_ns);
        add_time(&grid, t.wait_ns);
        add_time(&grid, t.blocked_ns);
        units_count(&grid.text, t.n_switches);
        grid_cell(&grid);
        add_object(&grid, t.thread_name, "thread", t.thread);
        add_object(&grid, t.process_name, "process", t.process);
    }
    grid_end(&grid, &v->screen, text);
    units_rest(text, n - shown, "thread", "threads");
}
