/* SPDX-License-Identifier: BSD-2-Clause */
/* See print_span.h: what is shown, and the numbers of all spans. */
#include "print_span.h"

#include "arg_text.h"
#include "tools/fxtreport/json.h"
#include "tools/common/report.h"
#include "tools/fxtreport/units.h"

/* How many rows tables have, and names are listed, without an option. */
enum { GROUPS_SHOWN = 20, NAMES_SHOWN = 10 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Text -------------------------------------------------------------------------- */

void print_span_title(const struct span_view *s, const char *title, struct text *rest,
                      struct text *text)
{
    if (text->size > 0)
        text_char(text, '\n');
    screen_style(text, &s->view->screen, STYLE_BOLD, title);
    if (rest->size > 0)
        text_str(text, "  ");
    text_add(text, rest->data, rest->size);
    text_char(text, '\n');
    rest->size = 0;
}

void print_span_clock(struct text *text, uint64_t ns)
{
    text_printf(text, "%llu.%09u s", (unsigned long long)(ns / 1000000000),
                (unsigned)(ns % 1000000000));
}

static void add_name(const struct span_name *name, struct text *text)
{
    text_add(text, name->name.data, name->name.size);
    if (name->category.size > 0 && name->category.data != name->name.data) {
        text_str(text, " (");
        text_add(text, name->category.data, name->category.size);
        text_char(text, ')');
    }
}

static void add_number(struct text *line, const char *what, uint64_t ns)
{
    text_str(line, what);
    units_time(line, ns);
}

/* "Span  1,234 of 2 names", the names, and what is known of all. */
static void print_numbers(const struct span_view *s, struct text *text)
{
    const struct span_numbers *n = &s->set.numbers;
    size_t shown = view_rows(s->view, s->set.n_names, NAMES_SHOWN);
    struct text line = {NULL, 0, 0};

    units_number(&line, n->count);
    text_str(&line, " of ");
    text_count(&line, s->set.n_names, "name");
    print_span_title(s, "Spans", &line, text);
    for (size_t i = 0; i < shown; i++) {
        struct text count = {NULL, 0, 0};

        units_number(&count, s->set.names[i].count);
        text_str(&count, "  ");
        text_char(&count, '\0');
        line.size = 0;
        add_name(&s->set.names[i], &line);
        screen_wrap(text, &s->view->screen, count.data, line.data, line.size);
    }
    units_rest(text, s->set.n_names - shown, NULL, NULL);
    line.size = 0;
    add_number(&line, "total ", n->total_ns);
    add_number(&line, ", self ", s->set.self_ns);
    add_number(&line, "; min ", n->min_ns);
    add_number(&line, ", p50 ", n->p50_ns);
    add_number(&line, ", p90 ", n->p90_ns);
    add_number(&line, ", p99 ", n->p99_ns);
    add_number(&line, ", max ", n->max_ns);
    screen_wrap(text, &s->view->screen, "", line.data, line.size);
    if (s->set.n_unfinished > 0) {
        line.size = 0;
        units_number(&line, s->set.n_unfinished);
        text_str(&line, " never ended, and counted until the last event of a span of "
                        "their thread");
        screen_wrap(text, &s->view->screen, "", line.data, line.size);
    }
}

/* ---- Groups ------------------------------------------------------------------------ */

static void add_time(struct grid *grid, uint64_t ns)
{
    units_time(&grid->text, ns);
    grid_cell(grid);
}

static void add_group_name(const struct span_view *s, const struct span_group *group,
                           bool is_arg, struct text *text)
{
    struct fxt_profile_event_arg arg;

    if (!is_arg) {
        span_threads_name(&s->threads, group->index, text);
    } else if (group->arg == FXT_PROFILE_NONE) {
        text_str(text, "(none)");
    } else {
        fxt_profile_get_event_arg(s->set.profile, group->index, group->arg, &arg);
        arg_text_add(text, &arg);
    }
}

static void print_groups(const struct span_view *s, const struct span_groups *groups,
                         const char *heading, bool is_arg, struct text *text)
{
    const struct grid_column columns[] = {{"total", GRID_NUMBER, 0},
                                          {"", GRID_NUMBER, 0},
                                          {"count", GRID_NUMBER, 0},
                                          {"p50", GRID_NUMBER, 0},
                                          {"p99", GRID_NUMBER, 0},
                                          {"max", GRID_NUMBER, 0},
                                          {heading, is_arg ? GRID_START : GRID_PLAIN, 0}};
    size_t shown = view_rows(s->view, groups->n, GROUPS_SHOWN);
    struct grid grid;

    text_char(text, '\n');
    grid_start(&grid, columns, COUNT(columns));
    for (size_t i = 0; i < shown; i++) {
        const struct span_numbers *n = &groups->groups[i].numbers;

        add_time(&grid, n->total_ns);
        units_share(&grid.text, (double)n->total_ns, (double)s->set.numbers.total_ns);
        grid_cell(&grid);
        units_count(&grid.text, n->count);
        grid_cell(&grid);
        add_time(&grid, n->p50_ns);
        add_time(&grid, n->p99_ns);
        add_time(&grid, n->max_ns);
        add_group_name(s, &groups->groups[i], is_arg, &grid.text);
        grid_cell(&grid);
    }
    grid_end(&grid, &s->view->screen, text);
    units_rest(text, groups->n - shown, NULL, NULL);
}

static void print_statistics_text(const struct span_view *s, struct text *text)
{
    const char *by_arg = s->view->settings->by_arg;
    struct span_groups groups;

    print_numbers(s, text);
    print_histogram(s, text);
    span_groups_by_thread(&groups, &s->set);
    print_groups(s, &groups, "thread", false, text);
    if (by_arg != NULL) {
        struct text heading = {NULL, 0, 0};

        quote_text(&heading, by_arg, strlen(by_arg));
        text_char(&heading, '\0');
        span_groups_by_arg(&groups, &s->set, by_arg);
        print_groups(s, &groups, heading.data, true, text);
    }
    print_slowest(s, text);
}

/* ---- JSON -------------------------------------------------------------------------- */

static void add_numbers_json(struct text *text, const struct span_numbers *n)
{
    json_number(text, "count", n->count);
    json_number(text, "total_ns", n->total_ns);
    json_number(text, "min_ns", n->min_ns);
    json_number(text, "p50_ns", n->p50_ns);
    json_number(text, "p90_ns", n->p90_ns);
    json_number(text, "p99_ns", n->p99_ns);
    json_number(text, "max_ns", n->max_ns);
}

void print_span_thread_json(const struct span_view *s, uint32_t index, struct text *text)
{
    struct fxt_profile_event_thread thread;

    fxt_profile_get_event_thread(s->set.profile, index, &thread);
    json_string(text, "thread_name", thread.thread_name);
    json_number(text, "thread", thread.thread);
    json_string(text, "process_name", thread.process_name);
    json_number(text, "process", thread.process);
}

static void add_groups_json(const struct span_view *s, const struct span_groups *groups,
                            const char *key, bool is_arg, struct text *text)
{
    size_t shown = view_rows(s->view, groups->n, groups->n);

    json_open(text, key, '[');
    for (size_t i = 0; i < shown; i++) {
        const struct span_group *group = &groups->groups[i];

        text_str(text, "\n{");
        if (!is_arg) {
            print_span_thread_json(s, group->index, text);
        } else {
            struct fxt_profile_event_arg arg = {.type = 0};

            if (group->arg != FXT_PROFILE_NONE)
                fxt_profile_get_event_arg(s->set.profile, group->index, group->arg, &arg);
            json_key(text, "value");
            arg_text_add_json(text, &arg);
            text_char(text, ',');
        }
        add_numbers_json(text, &group->numbers);
        json_end(text, '}');
    }
    json_end(text, ']');
}

static void print_statistics_json(const struct span_view *s, struct text *text)
{
    const char *by_arg = s->view->settings->by_arg;
    struct span_groups groups;

    json_open(text, "span", '{');
    json_open(text, "names", '[');
    for (size_t i = 0; i < view_rows(s->view, s->set.n_names, s->set.n_names); i++) {
        json_open(text, NULL, '{');
        json_string(text, "name", s->set.names[i].name);
        json_string(text, "category", s->set.names[i].category);
        json_number(text, "count", s->set.names[i].count);
        json_end(text, '}');
    }
    json_end(text, ']');
    add_numbers_json(text, &s->set.numbers);
    json_number(text, "self_ns", s->set.self_ns);
    json_number(text, "unfinished", s->set.n_unfinished);
    print_histogram_json(s, text);
    span_groups_by_thread(&groups, &s->set);
    add_groups_json(s, &groups, "threads", false, text);
    if (by_arg != NULL) {
        json_word(text, "argument", by_arg);
        span_groups_by_arg(&groups, &s->set, by_arg);
        add_groups_json(s, &groups, "by_arg", true, text);
    }
    print_slowest_json(s, text);
    json_end(text, '}');
}

/* ---- All --------------------------------------------------------------------------- */

static void print_statistics(const struct span_view *s, struct text *text)
{
    if (s->view->settings->is_json)
        print_statistics_json(s, text);
    else
        print_statistics_text(s, text);
}

/* Returns false if there is no span at the time that was asked for. */
static bool print_path(const struct span_view *s, struct text *text)
{
    const struct view_settings *settings = s->view->settings;
    struct critical_path path;
    uint32_t event = s->set.all[s->set.n - 1].event;

    if (settings->has_at)
        event = span_set_find(&s->set, settings->at_ns);
    if (event == FXT_PROFILE_NONE)
        return complain(s->view->now.conversion->converter->name, NULL,
                        "no span that matches --span '%s' is open at that time (--at)",
                        settings->span);
    critical_path_make(&path, &s->threads, event);
    if (settings->is_json)
        print_critical_path_json(s, &path, text);
    else
        print_critical_path(s, &path, text);
    return true;
}

bool print_span(const struct view *v, struct text *text)
{
    const struct view_settings *settings = v->settings;
    struct span_view s = {.view = v};
    regex_t expression;
    bool found;

    /* It was checked with the options. */
    regcomp(&expression, settings->span, REG_EXTENDED | REG_NOSUB);
    span_set_make(&s.set, v->now.profile, &expression);
    regfree(&expression);
    span_threads_make(&s.threads, v->now.profile);
    found = s.set.n > 0;
    if (!found)
        complain(v->now.conversion->converter->name, NULL, "no span matches --span '%s'",
                 settings->span);
    else if (settings->is_critical_path)
        found = print_path(&s, text);
    else
        print_statistics(&s, text);
    return found;
}
