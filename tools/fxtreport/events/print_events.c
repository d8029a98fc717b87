/* SPDX-License-Identifier: BSD-2-Clause */
/* See print_events.h: sections as text. */
#include "print_events.h"

#include "drawing.h"
#include "event_rows.h"
#include "tools/fxtreport/units.h"

/* How many rows sections have where several are shown. */
enum { SPANS_SHOWN = 20, OTHERS_SHOWN = 8 };

enum { DRAWING_COLUMNS = 10, WIDE_DRAWING_COLUMNS = 20 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static size_t drawing_columns(const struct view *v)
{
    return view_is_wide(v) ? WIDE_DRAWING_COLUMNS : DRAWING_COLUMNS;
}

/* ---- Cells ------------------------------------------------------------------------- */

static void add_time(struct grid *grid, uint64_t ns)
{
    units_time(&grid->text, ns);
    grid_cell(grid);
}

/* "-" of rows without durations. */
static void add_duration(struct grid *grid, const struct event_row *row, uint64_t ns)
{
    if (row->all.n_durations > 0) {
        add_time(grid, ns);
        return;
    }
    grid_string(grid, "-", 1);
}

static void add_count(struct grid *grid, uint64_t n)
{
    units_count(&grid->text, n);
    grid_cell(grid);
}

static void add_drawing(const struct view *v, const struct event_rows *rows,
                        const struct event_row *row, struct grid *grid)
{
    drawing_of_times(&grid->text, row->all.durations_ns, row->all.n_durations,
                     rows->min_ns, rows->max_ns, drawing_columns(v));
    grid_cell(grid);
}

static void add_name(const struct event_row *row, struct grid *grid)
{
    event_row_name(row, &grid->text);
    grid_cell(grid);
}

/* ---- Headings ---------------------------------------------------------------------- */

static void add_range(const struct event_rows *rows, struct text *line)
{
    if (rows->max_ns == rows->min_ns)
        return;
    text_str(line, "; times drawn from ");
    units_time(line, rows->min_ns);
    text_str(line, " to ");
    units_time(line, rows->max_ns);
}

/* "Spans  18,000 of 7 names; times drawn from 1.20 us to 40.1 ms" */
static void print_title(const struct view *v, const char *title,
                        const struct event_rows *rows, bool is_drawn, struct text *text)
{
    struct text line = {NULL, 0, 0};

    text_char(text, '\n');
    screen_style(text, &v->screen, STYLE_BOLD, title);
    text_str(&line, "  ");
    units_number(&line, rows->count);
    text_str(&line, " of ");
    text_count(&line, rows->n, "name");
    if (is_drawn)
        add_range(rows, &line);
    text_str(&line, "\n");
    text_char(&line, '\0');
    text_str(text, line.data);
}

/* Of a section alone all rows are shown. */
static size_t rows_shown(const struct view *v, size_t n, size_t usual)
{
    return view_rows(v, n, v->settings->view == VIEW_SUMMARY ? usual : n);
}

/* ---- Spans ------------------------------------------------------------------------- */

static const struct span_column {
    struct grid_column grid;
    enum event_column number;
    /* Shown where there is room, or if it is what rows are sorted by. */
    bool is_wide;
} span_columns[] = {
    {{"total", GRID_NUMBER, 0}, EVENT_TOTAL, false},
    {{"self", GRID_NUMBER, 0}, EVENT_SELF, true},
    {{"count", GRID_NUMBER, 0}, EVENT_COUNT, false},
    {{"min", GRID_NUMBER, 0}, EVENT_MIN, true},
    {{"p50", GRID_NUMBER, 0}, EVENT_P50, false},
    {{"p90", GRID_NUMBER, 0}, EVENT_P90, true},
    {{"p99", GRID_NUMBER, 0}, EVENT_P99, false},
    {{"max", GRID_NUMBER, 0}, EVENT_MAX, false},
};

static bool is_span_column(const struct view *v, const struct span_column *column)
{
    return !column->is_wide || view_is_wide(v) || column->number == v->settings->sort;
}

/* A column that is added to a narrow table takes the place of the drawing. */
static bool are_spans_drawn(const struct view *v)
{
    for (size_t i = 0; i < COUNT(span_columns); i++) {
        if (span_columns[i].is_wide && is_span_column(v, &span_columns[i]))
            return view_is_wide(v);
    }
    return true;
}

static void start_spans(const struct view *v, struct grid *grid,
                        struct grid_column *columns)
{
    size_t n = 0;

    for (size_t i = 0; i < COUNT(span_columns); i++) {
        if (is_span_column(v, &span_columns[i]))
            columns[n++] = span_columns[i].grid;
    }
    if (are_spans_drawn(v))
        columns[n++] = (struct grid_column){"times", GRID_DRAWING, DRAWING_COLUMNS};
    columns[n++] = (struct grid_column){"span", GRID_PLAIN, 0};
    grid_start(grid, columns, n);
}

static void add_span(const struct view *v, const struct event_rows *rows,
                     const struct event_row *row, struct grid *grid)
{
    enum { HOT_PERCENT = 10 };
    bool is_hot = (double)row->all.self_ns * 100 >= (double)rows->self_ns * HOT_PERCENT;

    for (size_t i = 0; i < COUNT(span_columns); i++) {
        if (!is_span_column(v, &span_columns[i]))
            continue;
        if (span_columns[i].number == EVENT_COUNT)
            add_count(grid, row->all.count);
        else
            add_time(grid, event_row_number(row, span_columns[i].number));
    }
    if (are_spans_drawn(v))
        add_drawing(v, rows, row, grid);
    add_name(row, grid);
    grid_style(grid, is_hot && rows->self_ns > 0 ? STYLE_BOLD : NULL);
}

static void print_spans(const struct view *v, struct text *text)
{
    struct grid_column columns[COUNT(span_columns) + 2];
    struct event_rows rows;
    struct grid grid;
    size_t shown;

    event_rows_make(&rows, v->now.profile, FXT_PROFILE_SUMMARY_SPANS);
    if (rows.n > 0) {
        event_rows_sort(&rows, v->settings->sort);
        shown = rows_shown(v, rows.n, SPANS_SHOWN);
        print_title(v, "Spans", &rows, are_spans_drawn(v), text);
        start_spans(v, &grid, columns);
        for (size_t i = 0; i < shown; i++)
            add_span(v, &rows, &rows.rows[i], &grid);
        grid_end(&grid, &v->screen, text);
        units_rest(text, rows.n - shown, "name", "names");
    }
}

/* ---- Asynchronous operations and flows --------------------------------------------- */

static const struct grid_column async_columns[] = {
    {"count", GRID_NUMBER, 0},   {"no end", GRID_NUMBER, 0},
    {"p50", GRID_NUMBER, 0},     {"p99", GRID_NUMBER, 0},
    {"max", GRID_NUMBER, 0},     {"times", GRID_DRAWING, DRAWING_COLUMNS},
    {"operation", GRID_PLAIN, 0}};

static const struct grid_column flow_columns[] = {
    {"count", GRID_NUMBER, 0}, {"no end", GRID_NUMBER, 0},
    {"p50", GRID_NUMBER, 0},   {"p99", GRID_NUMBER, 0},
    {"max", GRID_NUMBER, 0},   {"step p50", GRID_NUMBER, 0},
    {"p99", GRID_NUMBER, 0},   {"times", GRID_DRAWING, DRAWING_COLUMNS},
    {"flow", GRID_PLAIN, 0}};

/* The same without a drawing. */
static const struct grid_column narrow_flow_columns[] = {
    {"count", GRID_NUMBER, 0}, {"no end", GRID_NUMBER, 0}, {"p50", GRID_NUMBER, 0},
    {"p99", GRID_NUMBER, 0},   {"max", GRID_NUMBER, 0},    {"step p50", GRID_NUMBER, 0},
    {"p99", GRID_NUMBER, 0},   {"flow", GRID_PLAIN, 0}};

static void add_step(struct grid *grid, const struct event_row *row, unsigned percent)
{
    if (row->all.n_steps > 0) {
        add_time(grid, event_percentile(row->all.steps_ns, row->all.n_steps, percent));
        return;
    }
    grid_string(grid, "-", 1);
}

static void add_operation(const struct view *v, const struct event_rows *rows,
                          const struct event_row *row, bool is_flow, struct grid *grid)
{
    add_count(grid, row->all.count);
    add_count(grid, row->all.n_unfinished);
    add_duration(grid, row, row->p50_ns);
    add_duration(grid, row, row->p99_ns);
    add_duration(grid, row, row->max_ns);
    if (is_flow) {
        add_step(grid, row, 50);
        add_step(grid, row, 99);
    }
    if (!is_flow || view_is_wide(v))
        add_drawing(v, rows, row, grid);
    add_name(row, grid);
}

static void print_operations(const struct view *v, bool is_flow, struct text *text)
{
    struct event_rows rows;
    struct grid grid;
    size_t shown;

    event_rows_make(&rows, v->now.profile,
                    is_flow ? FXT_PROFILE_SUMMARY_FLOWS : FXT_PROFILE_SUMMARY_ASYNC);
    if (rows.n > 0) {
        event_rows_sort(&rows, v->settings->sort);
        shown = rows_shown(v, rows.n, OTHERS_SHOWN);
        print_title(v, is_flow ? "Flows" : "Asynchronous operations", &rows,
                    !is_flow || view_is_wide(v), text);
        if (is_flow && view_is_wide(v))
            grid_start(&grid, flow_columns, COUNT(flow_columns));
        else if (is_flow)
            grid_start(&grid, narrow_flow_columns, COUNT(narrow_flow_columns));
        else
            grid_start(&grid, async_columns, COUNT(async_columns));
        for (size_t i = 0; i < shown; i++)
            add_operation(v, &rows, &rows.rows[i], is_flow, &grid);
        grid_end(&grid, &v->screen, text);
        units_rest(text, rows.n - shown, "name", "names");
    }
}

/* ---- Instants ---------------------------------------------------------------------- */

static const struct grid_column instant_columns[] = {
    {"count", GRID_NUMBER, 0}, {"a second", GRID_NUMBER, 0}, {"instant", GRID_PLAIN, 0}};

static void add_instant(const struct view *v, const struct event_row *row,
                        struct grid *grid)
{
    uint64_t first_ns;
    uint64_t last_ns;

    fxt_profile_summary_times(v->now.profile, &first_ns, &last_ns);
    add_count(grid, row->all.count);
    if (last_ns > first_ns)
        units_decimal(&grid->text,
                      (double)row->all.count * 1e9 / (double)(last_ns - first_ns));
    else
        text_char(&grid->text, '-');
    grid_cell(grid);
    add_name(row, grid);
}

static void print_instants(const struct view *v, struct text *text)
{
    struct event_rows rows;
    struct grid grid;
    size_t shown;

    event_rows_make(&rows, v->now.profile, FXT_PROFILE_SUMMARY_INSTANTS);
    if (rows.n > 0) {
        event_rows_sort(&rows, v->settings->has_sort ? v->settings->sort : EVENT_COUNT);
        shown = rows_shown(v, rows.n, OTHERS_SHOWN);
        print_title(v, "Instants", &rows, false, text);
        grid_start(&grid, instant_columns, COUNT(instant_columns));
        for (size_t i = 0; i < shown; i++)
            add_instant(v, &rows.rows[i], &grid);
        grid_end(&grid, &v->screen, text);
        units_rest(text, rows.n - shown, "name", "names");
    }
}

/* ---- All --------------------------------------------------------------------------- */

/* Where a section that was asked for has nothing to show. */
static void print_none(const struct view *v, struct text *text)
{
    static const char *const nouns[] = {
        [VIEW_SPANS] = "spans",       [VIEW_ASYNC] = "asynchronous operations",
        [VIEW_FLOWS] = "flows",       [VIEW_COUNTERS] = "counters",
        [VIEW_INSTANTS] = "instants",
    };

    text_printf(text, "\nno %s in %s\n", nouns[v->settings->view],
                options_take_part(&v->now.conversion->options) ? "this part of the trace"
                                                               : "this trace");
}

void print_events(const struct view *v, struct text *text)
{
    enum view_kind view = v->settings->view;
    bool is_all = view == VIEW_SUMMARY;
    size_t start = text->size;

    if (is_all || view == VIEW_SPANS)
        print_spans(v, text);
    if (is_all)
        print_thread_times(
            v, rows_shown(v, fxt_profile_n_thread_times(v->now.profile), OTHERS_SHOWN),
            text);
    if (is_all || view == VIEW_ASYNC)
        print_operations(v, false, text);
    if (is_all || view == VIEW_FLOWS)
        print_operations(v, true, text);
    if (is_all || view == VIEW_COUNTERS)
        print_counters(
            v, rows_shown(v, fxt_profile_n_counters(v->now.profile), OTHERS_SHOWN), text);
    if (is_all || view == VIEW_INSTANTS)
        print_instants(v, text);
    if (!is_all && text->size == start)
        print_none(v, text);
}

void print_event_counts(const struct fxt_profile *profile, struct text *line)
{
    static const struct {
        enum fxt_profile_summary_kind kind;
        const char *noun;
    } kinds[] = {{FXT_PROFILE_SUMMARY_SPANS, "span"},
                 {FXT_PROFILE_SUMMARY_ASYNC, "asynchronous operation"},
                 {FXT_PROFILE_SUMMARY_FLOWS, "flow"},
                 {FXT_PROFILE_SUMMARY_INSTANTS, "instant"}};
    uint64_t n_values = 0;

    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct event_rows rows;

        event_rows_make(&rows, profile, kinds[i].kind);
        units_counted(line, rows.count, kinds[i].noun);
    }
    for (size_t i = 0; i < fxt_profile_n_counters(profile); i++) {
        struct fxt_profile_counter counter;

        fxt_profile_get_counter(profile, i, &counter);
        n_values += counter.n_values;
    }
    units_counted(line, n_values, "counter value");
}
