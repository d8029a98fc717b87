/* SPDX-License-Identifier: BSD-2-Clause */
/* See print_span.h: the critical path of a span. */
#include "tools/fxtreport/json.h"
#include "print_span.h"
#include "tools/fxtreport/units.h"

/* How many rows there are without an option; and the widest columns of text beside the
 * one that takes the rest of the line. */
enum { SUMS_SHOWN = 20, STEPS_SHOWN = 40, STATE_COLUMNS = 12, THREAD_COLUMNS = 32 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Words ------------------------------------------------------------------------- */

static const char *name_of_state(enum path_state state)
{
    static const char *const names[] = {[PATH_RUNS] = "running",
                                        [PATH_UNKNOWN] = "unknown",
                                        [PATH_WAITS] = "runnable",
                                        [PATH_BLOCKED] = "blocked",
                                        [PATH_FLOW] = "flow"};

    return names[state];
}

static const char *name_of_edge(enum path_edge edge)
{
    static const char *const names[] = {[PATH_SAME_THREAD] = "",
                                        [PATH_WAKEUP] = "wakeup",
                                        [PATH_FLOWS] = "flow",
                                        [PATH_ASYNC] = "async"};

    return names[edge];
}

/* ---- Text -------------------------------------------------------------------------- */

static void add_time(struct grid *grid, uint64_t ns)
{
    units_time(&grid->text, ns);
    grid_cell(grid);
}

static void add_share(struct grid *grid, uint64_t part, uint64_t whole)
{
    units_share(&grid->text, (double)part, (double)whole);
    grid_cell(grid);
}

/* The last cells of a row: what the thread did, the thread, and the span. */
static void add_where(const struct span_view *s, const struct path_step *step,
                      struct grid *grid)
{
    struct fxt_profile_event event;

    if (step->state != PATH_UNKNOWN)
        text_str(&grid->text, name_of_state(step->state));
    grid_cell(grid);
    span_threads_name(&s->threads, step->thread, &grid->text);
    grid_cell(grid);
    if (step->event == FXT_PROFILE_NONE) {
        text_str(&grid->text, "(no span)");
    } else {
        fxt_profile_get_event(s->set.profile, step->event, &event);
        text_add(&grid->text, event.name.data, event.name.size);
    }
    grid_cell(grid);
}

static void print_sums(const struct span_view *s, const struct critical_path *path,
                       uint64_t whole, struct text *text)
{
    static const struct grid_column columns[] = {{"time", GRID_NUMBER, 0},
                                                 {"", GRID_NUMBER, 0},
                                                 {"", GRID_START, STATE_COLUMNS},
                                                 {"thread", GRID_PLAIN, THREAD_COLUMNS},
                                                 {"span", GRID_PLAIN, 0}};
    size_t shown = view_rows(s->view, path->n_sums, SUMS_SHOWN);
    struct grid grid;

    text_char(text, '\n');
    grid_start(&grid, columns, COUNT(columns));
    for (size_t i = 0; i < shown; i++) {
        add_time(&grid, path->sums[i].to_ns);
        add_share(&grid, path->sums[i].to_ns, whole);
        add_where(s, &path->sums[i], &grid);
    }
    grid_end(&grid, &s->view->screen, text);
    units_rest(text, path->n_sums - shown, "row", "rows");
}

static void print_steps(const struct span_view *s, const struct critical_path *path,
                        uint64_t begin_ns, uint64_t whole, struct text *text)
{
    static const struct grid_column columns[] = {{"after", GRID_NUMBER, 0},
                                                 {"time", GRID_NUMBER, 0},
                                                 {"", GRID_NUMBER, 0},
                                                 {"then", GRID_START, STATE_COLUMNS},
                                                 {"", GRID_START, STATE_COLUMNS},
                                                 {"thread", GRID_PLAIN, THREAD_COLUMNS},
                                                 {"span", GRID_PLAIN, 0}};
    size_t shown = view_rows(s->view, path->n, STEPS_SHOWN);
    struct text rest = {NULL, 0, 0};
    struct grid grid;

    units_number(&rest, path->n);
    print_span_title(s, "Steps", &rest, text);
    grid_start(&grid, columns, COUNT(columns));
    for (size_t i = 0; i < shown; i++) {
        const struct path_step *step = &path->steps[i];
        const char *edge = name_of_edge(step->edge);

        add_time(&grid, step->from_ns - begin_ns);
        add_time(&grid, step->to_ns - step->from_ns);
        add_share(&grid, step->to_ns - step->from_ns, whole);
        grid_string(&grid, edge, strlen(edge));
        add_where(s, step, &grid);
    }
    grid_end(&grid, &s->view->screen, text);
    units_rest(text, path->n - shown, "step", "steps");
}

void print_critical_path(const struct span_view *s, const struct critical_path *path,
                         struct text *text)
{
    struct text line = {NULL, 0, 0};
    struct fxt_profile_event event;
    uint64_t whole;

    fxt_profile_get_event(s->set.profile, path->event, &event);
    whole = event.end_ns - event.time_ns;
    print_span_title(s, "Critical path", &line, text);
    units_time(&line, whole);
    text_str(&line, " at ");
    print_span_clock(&line, event.time_ns);
    text_str(&line, ", ");
    text_add(&line, event.name.data, event.name.size);
    text_str(&line, " on ");
    span_threads_name(&s->threads, event.thread, &line);
    if (event.is_unfinished)
        text_str(&line, ", never ended");
    screen_wrap(text, &s->view->screen, "", line.data, line.size);
    if (path->n == 0)
        return;
    print_sums(s, path, whole, text);
    print_steps(s, path, event.time_ns, whole, text);
}

/* ---- JSON -------------------------------------------------------------------------- */

static void add_step(const struct span_view *s, const struct path_step *step,
                     struct text *text)
{
    struct fxt_profile_event event;

    text_str(text, "\n{");
    json_number(text, "from_ns", step->from_ns);
    json_number(text, "to_ns", step->to_ns);
    json_word(text, "state", name_of_state(step->state));
    if (step->event == FXT_PROFILE_NONE) {
        text_str(text, "\"name\":null,");
    } else {
        fxt_profile_get_event(s->set.profile, step->event, &event);
        json_string(text, "name", event.name);
    }
    if (step->edge != PATH_SAME_THREAD)
        json_word(text, "then", name_of_edge(step->edge));
    print_span_thread_json(s, step->thread, text);
    json_end(text, '}');
}

void print_critical_path_json(const struct span_view *s, const struct critical_path *path,
                              struct text *text)
{
    struct fxt_profile_event event;
    size_t shown = view_rows(s->view, path->n, path->n);

    fxt_profile_get_event(s->set.profile, path->event, &event);
    json_open(text, "instance", '{');
    json_string(text, "name", event.name);
    json_string(text, "category", event.category);
    json_number(text, "time_ns", event.time_ns);
    json_number(text, "duration_ns", event.end_ns - event.time_ns);
    json_flag(text, "unfinished", event.is_unfinished);
    print_span_thread_json(s, event.thread, text);
    json_end(text, '}');
    json_open(text, "critical_path", '[');
    for (size_t i = 0; i < shown; i++)
        add_step(s, &path->steps[i], text);
    json_end(text, ']');
}
