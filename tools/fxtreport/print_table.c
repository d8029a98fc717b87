/* SPDX-License-Identifier: BSD-2-Clause */
/* See print.h: tables. */
#include "events/print_events.h"
#include "names.h"
#include "print.h"
#include "common/base/io/source_text.h"
#include "units.h"

/* Columns of a module's name; and the share from which a row is emphasized. */
enum { MODULE_COLUMNS = 24, HOT_PERCENT = 10 };

/* How many rows the tables of the first screen have. */
enum { FUNCTIONS_SHOWN = 20, OTHERS_SHOWN = 8 };

static const struct grid_column function_columns[] = {
    {"self", GRID_NUMBER, 0},   {"", GRID_NUMBER, 0},
    {"total", GRID_NUMBER, 0},  {"", GRID_NUMBER, 0},
    {"function", GRID_NAME, 0}, {"module", GRID_START, MODULE_COLUMNS}};

/* Of heaps, with the number of blocks; and of spans, which have no modules, with how many
 * there were. */
static const struct grid_column heap_columns[] = {{"self", GRID_NUMBER, 0},
                                                  {"", GRID_NUMBER, 0},
                                                  {"objects", GRID_NUMBER, 0},
                                                  {"total", GRID_NUMBER, 0},
                                                  {"", GRID_NUMBER, 0},
                                                  {"function", GRID_NAME, 0},
                                                  {"module", GRID_START, MODULE_COLUMNS}};

static const struct grid_column span_columns[] = {
    {"self", GRID_NUMBER, 0},  {"", GRID_NUMBER, 0}, {"spans", GRID_NUMBER, 0},
    {"total", GRID_NUMBER, 0}, {"", GRID_NUMBER, 0}, {"span", GRID_NAME, 0}};

/* Of what has neither modules nor values, such as captures. */
static const struct grid_column name_columns[] = {{"self", GRID_NUMBER, 0},
                                                  {"", GRID_NUMBER, 0},
                                                  {"total", GRID_NUMBER, 0},
                                                  {"", GRID_NUMBER, 0},
                                                  {"name", GRID_NAME, 0}};

static const struct grid_column module_columns[] = {{"self", GRID_NUMBER, 0},
                                                    {"", GRID_NUMBER, 0},
                                                    {"total", GRID_NUMBER, 0},
                                                    {"", GRID_NUMBER, 0},
                                                    {"module", GRID_PLAIN, 0}};

static const struct grid_column source_columns[] = {{"self", GRID_NUMBER, 0},
                                                    {"", GRID_NUMBER, 0},
                                                    {"total", GRID_NUMBER, 0},
                                                    {"", GRID_NUMBER, 0},
                                                    {"source file", GRID_PLAIN, 0}};

static const struct grid_column line_columns[] = {
    {"self", GRID_NUMBER, 0}, {"", GRID_NUMBER, 0},     {"total", GRID_NUMBER, 0},
    {"", GRID_NUMBER, 0},     {"line", GRID_PLAIN, 28}, {"source", GRID_START, 0}};

static const struct grid_column process_columns[] = {
    {"value", GRID_NUMBER, 0}, {"", GRID_NUMBER, 0}, {"process", GRID_PLAIN, 0}};

static const struct grid_column thread_columns[] = {{"value", GRID_NUMBER, 0},
                                                    {"", GRID_NUMBER, 0},
                                                    {"thread", GRID_PLAIN, 0},
                                                    {"process", GRID_PLAIN, 30}};

static const struct grid_column cpu_columns[] = {
    {"value", GRID_NUMBER, 0}, {"", GRID_NUMBER, 0}, {"CPU", GRID_PLAIN, 0}};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Names ------------------------------------------------------------------------- */

static void add_string(struct text *text, struct fxt_string string)
{
    text_add(text, string.data, string.size);
}

/* "name[123]", or of another boot than the first "name[123, boot 2]" */
static void add_numbered(struct text *text, struct fxt_string name, const char *noun,
                         uint64_t number, uint32_t boot)
{
    if (name.size > 0)
        add_string(text, name);
    else
        text_str(text, noun);
    text_char(text, '[');
    text_u64(text, number);
    if (boot > 0)
        text_printf(text, ", boot %u", boot + 1);
    text_char(text, ']');
}

static void add_function(const struct measure_row *row, struct text *text)
{
    if (row->is_unnamed)
        text_str(text, "[no symbol]");
    else
        add_string(text, row->name);
    if (row->is_inlined && !row->is_unnamed)
        text_str(text, " (inl)");
}

void print_function(const struct measure_row *row, struct text *text)
{
    struct string module = measure_module(row);

    if (!row->is_unnamed) {
        add_function(row, text);
        return;
    }
    text_str(text, "[no symbol]");
    if (row->module.size > 0 || row->is_kernel) {
        text_char(text, ' ');
        text_add(text, module.data, module.size);
    }
}

static void add_place(const struct measure_row *row, struct text *text)
{
    struct string file =
        string_last_component((struct string){row->file.data, row->file.size});

    if (row->line == 0 || file.size == 0) {
        text_char(text, '-');
        return;
    }
    text_add(text, file.data, file.size);
    text_printf(text, ":%u", row->line);
}

void print_name(const struct measure_row *row, enum measure_by by, struct text *text)
{
    struct string module = measure_module(row);

    switch (by) {
    case BY_FUNCTION:
        add_function(row, text);
        break;
    case BY_MODULE:
        text_add(text, module.data, module.size);
        break;
    case BY_SOURCE:
        if (row->file.size > 0)
            add_string(text, row->file);
        else
            text_str(text, "[no source file known]");
        break;
    case BY_LINE:
        add_place(row, text);
        break;
    case BY_PROCESS:
        add_numbered(text, row->name, "process", row->number, row->boot);
        break;
    case BY_THREAD:
        add_numbered(text, row->name, "thread", row->number, row->boot);
        break;
    case BY_CPU:
        if (row->number == FXT_PROFILE_NONE)
            text_str(text, "cpu?");
        else
            text_printf(text, "cpu%u", (unsigned)row->number);
        break;
    }
}

const char *print_noun(enum measure_by by)
{
    static const char *const nouns[] = {[BY_FUNCTION] = "function",
                                        [BY_MODULE] = "module",
                                        [BY_SOURCE] = "source file",
                                        [BY_LINE] = "line",
                                        [BY_PROCESS] = "process",
                                        [BY_THREAD] = "thread",
                                        [BY_CPU] = "CPU"};

    return nouns[by];
}

/* ---- Tables ------------------------------------------------------------------------ */

static bool has_code(const struct view *v)
{
    enum fxt_profile_kind kind = fxt_profile_kind(v->now.profile);

    return kind != FXT_PROFILE_KIND_SPANS && kind != FXT_PROFILE_KIND_CAPTURES;
}

/* Whether the number of what the values are of says something beside them. */
static bool shows_numbers(const struct view *v)
{
    enum fxt_profile_kind kind = fxt_profile_kind(v->now.profile);

    return v->now.weights.value > 0 &&
           (kind == FXT_PROFILE_KIND_HEAPS || kind == FXT_PROFILE_KIND_SPANS);
}

static void start_functions(const struct view *v, struct grid *grid)
{
    if (has_code(v) && shows_numbers(v))
        grid_start(grid, heap_columns, COUNT(heap_columns));
    else if (has_code(v))
        grid_start(grid, function_columns, COUNT(function_columns));
    else if (shows_numbers(v))
        grid_start(grid, span_columns, COUNT(span_columns));
    else
        grid_start(grid, name_columns, COUNT(name_columns));
    grid->has_plain_names = !view_is_of_functions(v);
}

static void start_grid(const struct view *v, enum measure_by by, struct grid *grid)
{
    switch (by) {
    case BY_FUNCTION:
        start_functions(v, grid);
        break;
    case BY_MODULE:
        grid_start(grid, module_columns, COUNT(module_columns));
        break;
    case BY_SOURCE:
        grid_start(grid, source_columns, COUNT(source_columns));
        break;
    case BY_LINE:
        grid_start(grid, line_columns, COUNT(line_columns));
        break;
    case BY_PROCESS:
        grid_start(grid, process_columns, COUNT(process_columns));
        break;
    case BY_THREAD:
        grid_start(grid, thread_columns, COUNT(thread_columns));
        break;
    case BY_CPU:
        grid_start(grid, cpu_columns, COUNT(cpu_columns));
        break;
    }
}

static void add_weight(const struct view *v, struct grid *grid, struct weight weight)
{
    units_value(&grid->text, weight.value, v->now.weights.type.unit);
    grid_cell(grid);
    units_share(&grid->text, (double)weight.value, (double)v->now.weights.total.value);
    grid_cell(grid);
}

/* The line's text, with spaces for tabs, or else which function it is in. */
static void add_source(const struct measure_row *row, struct source_texts *sources,
                       struct text *text)
{
    size_t start = text->size;

    if (!source_texts_add(sources, row->file, row->line, text))
        print_function(row, text);
    for (size_t i = start; i < text->size; i++) {
        if (text->data[i] == '\t')
            text->data[i] = ' ';
    }
}

static void add_last_cell(const struct view *v, const struct measure_row *row,
                          enum measure_by by, struct source_texts *sources,
                          struct grid *grid)
{
    struct string module = measure_module(row);

    if (by == BY_FUNCTION && has_code(v)) {
        grid_string(grid, module.data, module.size);
    } else if (by == BY_LINE) {
        add_source(row, sources, &grid->text);
        grid_cell(grid);
    } else if (by == BY_THREAD) {
        add_numbered(&grid->text, row->process_name, "process", row->process, row->boot);
        grid_cell(grid);
    }
}

static void add_row(const struct view *v, const struct measure_row *row,
                    enum measure_by by, struct source_texts *sources, struct grid *grid)
{
    bool is_hot =
        (double)row->self.value * 100 >= (double)v->now.weights.total.value * HOT_PERCENT;

    add_weight(v, grid, row->self);
    if (by == BY_FUNCTION && shows_numbers(v)) {
        units_count(&grid->text, row->self.n);
        grid_cell(grid);
    }
    if (by != BY_PROCESS && by != BY_THREAD && by != BY_CPU)
        add_weight(v, grid, row->total);
    print_name(row, by, &grid->text);
    grid_cell(grid);
    add_last_cell(v, row, by, sources, grid);
    grid_style(grid, is_hot ? STYLE_BOLD : NULL);
}

static void print_rest(const struct measure *m, size_t shown, struct text *text)
{
    int64_t rest = 0;
    size_t n = m->n - shown;

    if (n == 0)
        return;
    for (size_t i = shown; i < m->n; i++)
        rest = weight_sum(rest, m->rows[i].self.value);
    text_str(text, "... ");
    units_number(text, n);
    text_str(text, " more ");
    text_str(text, print_noun(m->by));
    if (n > 1)
        text_str(text, m->by == BY_PROCESS ? "es" : "s");
    text_str(text, n > 1 ? " have " : " has ");
    units_share(text, (double)rest, (double)m->all.value);
    text_str(text, " (--rows 0 shows all)\n");
}

static void print_measure(const struct view *v, struct measure *m, size_t usual,
                          struct text *text)
{
    struct source_texts sources = {.n = 0};
    struct grid grid;
    size_t shown;

    /* This leaves out rows that have nothing. */
    measure_sort(m, v->settings->sorts_by_total);
    shown = view_rows(v, m->n, usual);
    start_grid(v, m->by, &grid);
    for (size_t i = 0; i < shown; i++)
        add_row(v, &m->rows[i], m->by, &sources, &grid);
    grid_end(&grid, &v->screen, text);
    print_rest(m, shown, text);
}

void print_table(const struct view *v, struct measure *m, struct text *text)
{
    print_measure(v, m, FUNCTIONS_SHOWN, text);
}

/* A table of the first screen, unless there is only one row, which says nothing. */
static void print_others(const struct view *v, enum measure_by by, struct text *text)
{
    struct measure m;

    measure_make(&m, &v->now.weights, by, false);
    if (m.n > 1) {
        text_char(text, '\n');
        print_measure(v, &m, OTHERS_SHOWN, text);
    }
}

void print_summary(const struct view *v, struct text *text)
{
    struct measure functions;

    measure_make(&functions, &v->now.weights, BY_FUNCTION, view_keeps_addresses(v));
    print_header(v, &v->now, text);
    print_missing(v, &functions, text);
    print_growth(v, text);
    if (functions.n > 0) {
        text_char(text, '\n');
        print_measure(v, &functions, FUNCTIONS_SHOWN, text);
        if (has_code(v))
            print_others(v, BY_MODULE, text);
        print_others(v, BY_PROCESS, text);
        print_others(v, BY_THREAD, text);
    }
    print_events(v, text);
}
