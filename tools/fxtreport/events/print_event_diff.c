/* SPDX-License-Identifier: BSD-2-Clause */
/* See print_events.h: the spans of two recordings, compared. */

#include "common/base/memory.h"
#include "common/base/sort.h"
#include "event_rows.h"
#include "print_events.h"
#include "tools/fxtreport/json.h"
#include "tools/fxtreport/order.h"
#include "tools/fxtreport/units.h"

enum { DIFFERENCES_SHOWN = 20 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Pairs ------------------------------------------------------------------------- */

/* A name in the two recordings; NULL where it is not there. */
struct event_pair {
    const struct event_row *before;
    const struct event_row *after;
    /* What pairs are sorted by, and their place in the order of names. */
    uint64_t change;
    size_t place;
};

struct event_pairs {
    struct event_rows before;
    struct event_rows after;
    struct event_pair *pairs;
    size_t n;
};

static int order_names(const struct event_row *a, const struct event_row *b)
{
    int order = order_strings(a->all.name, b->all.name);

    return order != 0 ? order : order_strings(a->all.category, b->all.category);
}

/* Changes are those of numbers, and of the total where rows are sorted by a name. */
static uint64_t number_of(const struct event_row *row, enum event_column column)
{
    bool is_name = column == EVENT_NAME || column == EVENT_CATEGORY;

    return row != NULL ? event_row_number(row, is_name ? EVENT_TOTAL : column) : 0;
}

SORT_ORDER(order_changes, struct event_pair, BY_DESCENDING(change) || BY(place));

/* Both lists are in the order of names. */
static void make_pairs(const struct view *v, struct event_pairs *p)
{
    size_t i = 0;
    size_t j = 0;

    event_rows_make(&p->before, v->before.profile, FXT_PROFILE_SUMMARY_SPANS);
    event_rows_make(&p->after, v->now.profile, FXT_PROFILE_SUMMARY_SPANS);
    p->n = 0;
    p->pairs = memory_allocate((p->before.n + p->after.n) * sizeof(*p->pairs));
    while (i < p->before.n || j < p->after.n) {
        struct event_pair *pair = &p->pairs[p->n];
        int order = i == p->before.n ? 1
                    : j == p->after.n
                        ? -1
                        : order_names(&p->before.rows[i], &p->after.rows[j]);
        uint64_t before;
        uint64_t after;

        pair->before = order <= 0 ? &p->before.rows[i++] : NULL;
        pair->after = order >= 0 ? &p->after.rows[j++] : NULL;
        before = number_of(pair->before, v->settings->sort);
        after = number_of(pair->after, v->settings->sort);
        pair->change = before < after ? after - before : before - after;
        pair->place = p->n++;
    }
    if (v->settings->sort != EVENT_NAME)
        SORT(p->pairs, p->n, order_changes);
}

static bool is_changed(const struct event_pair *pair)
{
    const struct event_row *a = pair->before;
    const struct event_row *b = pair->after;

    return a == NULL || b == NULL || a->all.count != b->all.count ||
           a->all.total_ns != b->all.total_ns || a->p50_ns != b->p50_ns ||
           a->p99_ns != b->p99_ns;
}

/* ---- Text -------------------------------------------------------------------------- */

static const struct grid_column columns[] = {
    {"p50", GRID_NUMBER, 0},   {"", GRID_NUMBER, 0},      {"p99", GRID_NUMBER, 0},
    {"", GRID_NUMBER, 0},      {"count", GRID_NUMBER, 0}, {"", GRID_NUMBER, 0},
    {"total", GRID_NUMBER, 0}, {"", GRID_NUMBER, 0},      {"span", GRID_PLAIN, 0}};

/* The change relative to what was: "+12.5%", "x3.20", or nothing where there is none. */
static void add_change(struct grid *grid, uint64_t before, uint64_t after)
{
    double ratio = before > 0 ? (double)after / (double)before : 0;

    if (before == 0 && after > 0)
        text_str(&grid->text, "new");
    else if (after == 0 && before > 0)
        text_str(&grid->text, "gone");
    else if (ratio >= 10)
        text_printf(&grid->text, "x%.0f", ratio);
    else if (before != after)
        text_printf(&grid->text, "%+.1f%%", 100 * (ratio - 1));
    grid_cell(grid);
}

static void add_column(struct grid *grid, const struct event_pair *pair,
                       enum event_column column)
{
    uint64_t before = number_of(pair->before, column);
    uint64_t after = number_of(pair->after, column);

    if (column == EVENT_COUNT)
        units_count(&grid->text, after);
    else
        units_time(&grid->text, after);
    grid_cell(grid);
    add_change(grid, before, after);
}

static void add_pair(struct grid *grid, const struct view *v,
                     const struct event_pair *pair)
{
    uint64_t before = number_of(pair->before, v->settings->sort);
    uint64_t after = number_of(pair->after, v->settings->sort);

    add_column(grid, pair, EVENT_P50);
    add_column(grid, pair, EVENT_P99);
    add_column(grid, pair, EVENT_COUNT);
    add_column(grid, pair, EVENT_TOTAL);
    event_row_name(pair->after != NULL ? pair->after : pair->before, &grid->text);
    grid_cell(grid);
    grid_style(grid, after > before ? STYLE_MORE : after < before ? STYLE_LESS : NULL);
}

void print_event_diff(const struct view *v, struct text *text)
{
    struct event_pairs p;
    struct grid grid;
    size_t n_changed = 0;
    size_t shown;

    make_pairs(v, &p);
    for (size_t i = 0; i < p.n; i++)
        n_changed += is_changed(&p.pairs[i]);
    shown = view_rows(v, p.n, DIFFERENCES_SHOWN);
    if (p.n > 0) {
        text_char(text, '\n');
        screen_style(text, &v->screen, STYLE_BOLD, "Spans");
        text_str(text, "  ");
        units_number(text, n_changed);
        text_str(text, " of ");
        text_count(text, p.n, "name");
        text_str(text, " changed; with the change of each number\n");
        grid_start(&grid, columns, COUNT(columns));
        for (size_t i = 0; i < shown; i++)
            add_pair(&grid, v, &p.pairs[i]);
        grid_end(&grid, &v->screen, text);
    }
    units_rest(text, p.n - shown, NULL, NULL);
}

/* ---- JSON -------------------------------------------------------------------------- */

static void add_numbers(struct text *text, const char *key, const struct event_row *row)
{
    if (row == NULL) {
        json_key(text, key);
        text_str(text, "null,");
        return;
    }
    json_open(text, key, '{');
    json_number(text, "count", row->all.count);
    json_number(text, "total_ns", row->all.total_ns);
    json_number(text, "p50_ns", row->p50_ns);
    json_number(text, "p99_ns", row->p99_ns);
    json_end(text, '}');
}

void print_event_diff_json(const struct view *v, struct text *text)
{
    struct event_pairs p;
    size_t shown;

    make_pairs(v, &p);
    shown = view_rows(v, p.n, p.n);
    json_open_rows(text, "span_differences");
    for (size_t i = 0; i < shown; i++) {
        const struct event_pair *pair = &p.pairs[i];
        const struct event_row *row = pair->after != NULL ? pair->after : pair->before;

        text_char(text, '{');
        json_string(text, "name", row->all.name);
        json_string(text, "category", row->all.category);
        add_numbers(text, "before", pair->before);
        add_numbers(text, "after", pair->after);
        json_end_row(text, i + 1 == shown);
    }
    json_end_rows(text);
}
