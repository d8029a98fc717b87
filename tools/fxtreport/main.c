/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtreport: where the time of a recording went, in a terminal. */
#include <string.h>

#include "settings.h"
#include "tools/common/output_name.h"
#include "tools/common/report.h"
#include "tools/convert/convert.h"
#include "tools/convert/option_groups.h"
#include "tools/clickhouse/query.h"
#include "weights.h"
#include "print.h"

static const char usage[] =
    "Usage: fxtreport [OPTION]... [FILE]...\n"
    "Shows where the time of a recording went: what was recorded, what is missing, the\n"
    "hottest functions, modules, processes and threads, and the spans, counters and "
    "other\n"
    "events of a trace; with -o NAME.html as a page for browsers, with a timeline. No\n"
    "FILE, or -, is standard input. Compressed files are read as they are.\n";

static bool take_by(struct option_given *given)
{
    static const char *const names[] = {[BY_FUNCTION] = "function",
                                        [BY_MODULE] = "module",
                                        [BY_SOURCE] = "source",
                                        [BY_LINE] = "line",
                                        [BY_PROCESS] = "process",
                                        [BY_THREAD] = "thread",
                                        [BY_CPU] = "cpu"};
    struct view_settings *s = given->own;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(given->value, names[i]) != 0)
            continue;
        s->view = VIEW_TABLE;
        s->by = (enum measure_by)i;
        return true;
    }
    return false;
}

static bool take_lines(struct option_given *given)
{
    struct view_settings *s = given->own;

    s->view = VIEW_TABLE;
    s->by = BY_LINE;
    return true;
}

static bool take_expression(struct option_given *given, enum view_kind view,
                            const char **to)
{
    struct view_settings *s = given->own;

    s->view = view;
    *to = given->value;
    return given->value[0] != '\0' && options_check_expression(given);
}

static bool take_callers(struct option_given *given)
{
    struct view_settings *s = given->own;

    return take_expression(given, VIEW_CALLERS, &s->callers);
}

static bool take_span(struct option_given *given)
{
    struct view_settings *s = given->own;

    return take_expression(given, VIEW_SPAN, &s->span);
}

static bool take_diff(struct option_given *given)
{
    struct options *o = given->options;

    o->before = given->value;
    return given->value[0] != '\0';
}

static bool take_sort(struct option_given *given)
{
    struct view_settings *s = given->own;

    s->sorts_by_total = strcmp(given->value, "total") == 0;
    return event_column_find(given->value, &s->sort);
}

static bool take_width(struct option_given *given)
{
    enum { NARROWEST = 80, WIDEST = 100000 };
    struct view_settings *s = given->own;

    if (parse_u64(given->value, &s->width) &&
        (s->width == 0 || (s->width >= NARROWEST && s->width <= WIDEST)))
        return true;
    return text_fail(&given->why, "lines have %d to %d columns, or 0 for no limit",
                     NARROWEST, WIDEST);
}

static const char *const colors[] = {
    [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};

#define OPTION_STRUCT struct view_settings

static const struct option_entry view_options[] = {
    {"tree", 0, NULL, OPTION_CHOICE(view, VIEW_TREE, n_views),
     "which functions call which, the heaviest first"},
    {"callers", 0, "REGEX",
     OPTION_VALUE(OPTION_CALL_(take_callers), OPTION_COUNT_(n_views)),
     "who calls the functions that match"},
    {"lines", 0, NULL, OPTION_VALUE(OPTION_CALL_(take_lines), OPTION_COUNT_(n_views)),
     "source lines, with their text where the file is found"},
    {"by", 0, "WHAT", OPTION_VALUE(OPTION_CALL_(take_by), OPTION_COUNT_(n_views)),
     "function, module, source, line, process, thread or cpu"},
    {"diff", 0, "BEFORE", OPTION_CALL(take_diff),
     "what has changed since the recording BEFORE, in shares of each"},
    {"async", 0, NULL, OPTION_CHOICE(view, VIEW_ASYNC, n_views),
     "asynchronous operations of a trace, by name"},
    {"flows", 0, NULL, OPTION_CHOICE(view, VIEW_FLOWS, n_views),
     "flows of a trace, by name, and their steps"},
    {"counters", 0, NULL, OPTION_CHOICE(view, VIEW_COUNTERS, n_views),
     "counters of a trace, and their values over time"},
    {"instants", 0, NULL, OPTION_CHOICE(view, VIEW_INSTANTS, n_views),
     "instants of a trace, by name"},
    {"span", 0, "REGEX", OPTION_VALUE(OPTION_CALL_(take_span), OPTION_COUNT_(n_views)),
     "the spans whose names match: their durations, by thread, and the slowest"},
    {"by-arg", 0, "NAME", OPTION_NAME(by_arg),
     "with --span, also by the values of an argument"},
    {"critical-path", 0, NULL, OPTION_FLAG(is_critical_path),
     "with --span, what the end of the slowest one waited for, over threads"},
    {"at", 0, "TIME",
     OPTION_VALUE(OPTION_NUMBER_(at_ns, parse_time, 0, UINT64_MAX), OPTION_FLAG_(has_at)),
     "with --critical-path, the span that is open at a time, as in 1.5 or 800ms"},
    OPTIONS_END,
};

static const struct option_entry showing_options[] = {
    {"value", 0, "VALUE", OPTION_CALL(options_take_value),
     "what to show: samples (or spans, waits), or time; of heaps objects or bytes; or an "
     "event that was sampled, such as page-faults (default: time where it is known, "
     "bytes for heaps, the first event where there are several)"},
    {"sort", 0, "COLUMN", OPTION_VALUE(OPTION_CALL_(take_sort), OPTION_FLAG_(has_sort)),
     "what rows are sorted and compared by: self (the default) or total; and events by "
     "total (the default), self, count, min, p50, p90, p99, max, name or category"},
    {"rows", 0, "N",
     OPTION_VALUE(OPTION_NUMBER_(n_rows, parse_u64, 0, UINT64_MAX),
                  OPTION_FLAG_(has_rows)),
     "how many rows a table has; 0 for all"},
    {"min", 0, "PERCENT",
     OPTION_VALUE(OPTION_NUMBER_(min_share, parse_hundredths, 0, ALL_SHARES),
                  OPTION_FLAG_(has_min)),
     "trees: sum up branches below this share of all (default: 0.5)"},
    {"json", 0, NULL, OPTION_FLAG(is_json), "JSON, for programs: all rows"},
    {"width", 0, "COLUMNS",
     OPTION_VALUE(OPTION_CALL_(take_width), OPTION_FLAG_(has_width)),
     "the length of lines, 80 or more; 0 for no limit (default: the terminal's, and at "
     "least 80)"},
    {"color", 0, "WHEN", OPTION_WORD(color, colors), "auto, always or never"},
    {"no-pager", 0, NULL, OPTION_FLAG(no_pager),
     "do not start a pager for what is longer than the terminal"},
    {"no-source", 0, NULL, OPTION_FLAG(no_source),
     "pages for browsers: leave out the text of source files"},
    OPTIONS_END,
};

static const struct option_group groups[] = {
    {"Views", view_options},
    {"Showing", showing_options},
    {"From ClickHouse", options_database},
    {OPTION_GROUP_GOES_ON, options_database_diff},
    {OPTION_GROUP_GOES_ON, options_server},
    {"Choosing", options_sources},
    {OPTION_GROUP_GOES_ON, options_choosing},
    {OPTION_GROUP_GOES_ON, options_points},
    {"Naming", options_naming},
    {"Reading", options_reading},
    {OPTION_GROUP_GOES_ON, options_parallel},
    {NULL, options_general},
    {NULL, NULL},
};

/* The same of --span and the options that it has. */
static const char *find_span_conflict(const struct options *options)
{
    const struct view_settings *s = (const struct view_settings *)options->own;

    if (s->span == NULL && (s->by_arg != NULL || s->is_critical_path))
        return "--by-arg and --critical-path are of the spans that --span chooses";
    if (s->has_at && !s->is_critical_path)
        return "--at is for --critical-path";
    if (s->by_arg != NULL && s->is_critical_path)
        return "--by-arg has no meaning with --critical-path";
    if (s->span == NULL)
        return NULL;
    if (options->build.source != FXT_PROFILE_SAMPLES)
        return "--span has no meaning with --spans and --sched";
    if (s->before != NULL)
        return "--diff compares tables, not single spans";
    return s->has_sort ? "--sort has no meaning with --span" : NULL;
}

/* What does not go together; or NULL. */
static const char *find_conflict(const struct view_settings *s)
{
    bool is_tree = s->view == VIEW_TREE || s->view == VIEW_CALLERS;

    if (s->n_views > 1)
        return "only one of --tree, --callers, --lines, --by, --span, --async, --flows, "
               "--counters and --instants can be shown";
    if (s->before != NULL && s->view > VIEW_SPANS)
        return "--diff compares functions and spans, not other events";
    if (s->has_sort && s->sort > EVENT_SELF && !view_has_events(s))
        return "tables of functions are sorted by self or total";
    if (s->before != NULL && is_tree)
        return "--diff compares tables, not trees: see --by";
    if (s->has_min && !is_tree)
        return "--min is for --tree and --callers";
    if (is_tree && s->has_rows)
        return "--rows is for tables: see --min";
    if (is_tree && s->has_sort)
        return "--sort is for tables";
    if (s->is_json && (s->has_width || s->color == COLOR_ALWAYS))
        return "--width and --color have no meaning with --json";
    return NULL;
}

/* A page has all views, and no columns. */
static const char *find_page_conflict(const struct view_settings *s)
{
    if (s->n_views > 0)
        return "a page for browsers has all views: --tree, --callers, --lines, --by and "
               "the like are for terminals";
    if (s->is_json || s->has_rows || s->has_sort || s->has_width ||
        s->color != COLOR_AUTO)
        return "--json, --rows, --sort, --width and --color have no meaning with a page "
               "for browsers";
    return s->has_min ? "--min is for --tree and --callers" : NULL;
}

static bool check_own(struct options *options)
{
    struct view_settings *s = (struct view_settings *)options->own;
    bool is_page = options->write.format == FXT_PROFILE_HTML;
    const char *conflict;

    s->before = options->before;
    if (options->build.source == FXT_PROFILE_SPANS && s->n_views == 0 && !is_page)
        s->view = VIEW_SPANS;
    options->build.summarize_events = view_has_events(s) && !is_page;
    conflict = is_page ? find_page_conflict(s) : find_conflict(s);

    if (conflict == NULL)
        conflict = find_span_conflict(options);
    if (conflict == NULL && s->no_source && !is_page)
        conflict = "--no-source is for pages for browsers: -o NAME.html";

    if (conflict != NULL)
        return complain(options->program, NULL, "%s", conflict);
    if (s->before != NULL && output_replaces(options->output, s->before))
        return complain(options->program, options->output,
                        "is also an input, and would be overwritten");
    options->write.source_text = !s->no_source;
    options->build.keep_events = s->view == VIEW_SPAN;
    options->shows_missing_files =
        !is_page && !s->is_json && s->before == NULL && view_has_events(s);
    if (!s->has_min)
        s->min_share = MIN_SHARE;
    return options->output == NULL || is_page ||
           output_name_check_text(options->program, options->output, s->is_json);
}

int main(int argc, char **argv)
{
    static struct view_settings settings;
    static const struct converter converter = {
        .name = "fxtreport",
        .usage = usage,
        .groups = groups,
        .default_format = FXT_PROFILE_FOLDED,
        .query = query_database,
        .own = &settings,
        .check_own = check_own,
        .write_own = write_report,
        .choose_value = weights_choose,
    };

    return convert_main(&converter, argc, argv);
}
