/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtreport: where the time of a recording went, in a terminal. */
#include <stdio.h>
#include <string.h>

#include "settings.h"
#include "tools/common/output_name.h"
#include "tools/common/report.h"
#include "tools/convert/convert.h"
#include "tools/convert/options_choose.h"
#include "tools/convert/options_database.h"
#include "tools/convert/options_name.h"
#include "tools/convert/options_parse.h"
#include "tools/convert/options_read.h"
#include "tools/convert/options_value.h"
#include "tools/clickhouse/query.h"
#include "weights.h"
#include "write.h"

enum {
    LETTER_TREE = OPTIONS_FIRST_OWN,
    LETTER_ASYNC,
    LETTER_AT,
    LETTER_BY,
    LETTER_BY_ARG,
    LETTER_CALLERS,
    LETTER_COLOR,
    LETTER_COUNTERS,
    LETTER_CRITICAL_PATH,
    LETTER_DIFF,
    LETTER_FLOWS,
    LETTER_INSTANTS,
    LETTER_JSON,
    LETTER_LINES,
    LETTER_MIN,
    LETTER_NO_PAGER,
    LETTER_NO_SOURCE,
    LETTER_ROWS,
    LETTER_SORT,
    LETTER_SPAN,
    LETTER_VALUE,
    LETTER_WIDTH
};

static const struct option_entry view_options[] = {
    {"tree", LETTER_TREE, NULL, "which functions call which, the heaviest first"},
    {"callers", LETTER_CALLERS, "REGEX", "who calls the functions that match"},
    {"lines", LETTER_LINES, NULL,
     "source lines, with their text where the file is found"},
    {"by", LETTER_BY, "WHAT", "function, module, source, line, process, thread or cpu"},
    {"diff", LETTER_DIFF, "BEFORE",
     "what has changed since the recording BEFORE, in shares of each"},
    {"async", LETTER_ASYNC, NULL, "asynchronous operations of a trace, by name"},
    {"flows", LETTER_FLOWS, NULL, "flows of a trace, by name, and their steps"},
    {"counters", LETTER_COUNTERS, NULL,
     "counters of a trace, and their values over time"},
    {"instants", LETTER_INSTANTS, NULL, "instants of a trace, by name"},
    {"span", LETTER_SPAN, "REGEX",
     "the spans whose names match: their durations, by thread, and the slowest"},
    {"by-arg", LETTER_BY_ARG, "NAME", "with --span, also by the values of an argument"},
    {"critical-path", LETTER_CRITICAL_PATH, NULL,
     "with --span, what the end of the slowest one waited for, over threads"},
    {"at", LETTER_AT, "TIME",
     "with --critical-path, the span that is open at a time, as in 1.5 or 800ms"},
    {NULL, 0, NULL, NULL},
};

static const struct option_entry showing_options[] = {
    {"value", LETTER_VALUE, "VALUE",
     "what to show: samples (or spans, waits), or time; of heaps objects or bytes; or an "
     "event that was sampled, such as page-faults (default: time where it is known, "
     "bytes "
     "for heaps, the first event where there are several)"},
    {"sort", LETTER_SORT, "COLUMN",
     "what rows are sorted and compared by: self (the default) or total; and events by "
     "total (the default), self, count, min, p50, p90, p99, max, name or category"},
    {"rows", LETTER_ROWS, "N", "how many rows a table has; 0 for all"},
    {"min", LETTER_MIN, "PERCENT",
     "trees: sum up branches below this share of all (default: 0.5)"},
    {"json", LETTER_JSON, NULL, "JSON, for programs: all rows"},
    {"width", LETTER_WIDTH, "COLUMNS",
     "the length of lines, 80 or more; 0 for no limit (default: the terminal's, and at "
     "least 80)"},
    {"color", LETTER_COLOR, "WHEN", "auto, always or never"},
    {"no-pager", LETTER_NO_PAGER, NULL,
     "do not start a pager for what is longer than the terminal"},
    {"no-source", LETTER_NO_SOURCE, NULL,
     "pages for browsers: leave out the text of source files"},
    {NULL, 0, NULL, NULL},
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

static const char usage[] =
    "Usage: fxtreport [OPTION]... [FILE]...\n"
    "Shows where the time of a recording went: what was recorded, what is missing, the\n"
    "hottest functions, modules, processes and threads, and the spans, counters and "
    "other\n"
    "events of a trace; with -o NAME.html as a page for browsers, with a timeline. No\n"
    "FILE, or -, is standard input. Compressed files are read as they are.\n";

static struct view_settings *settings_of(const struct options *options)
{
    return (struct view_settings *)options->own;
}

static bool take_by(struct view_settings *s, const char *value)
{
    static const char *const names[] = {[BY_FUNCTION] = "function",
                                        [BY_MODULE] = "module",
                                        [BY_SOURCE] = "source",
                                        [BY_LINE] = "line",
                                        [BY_PROCESS] = "process",
                                        [BY_THREAD] = "thread",
                                        [BY_CPU] = "cpu"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(value, names[i]) != 0)
            continue;
        s->view = VIEW_TABLE;
        s->by = (enum measure_by)i;
        s->n_views++;
        return true;
    }
    return false;
}

static bool take_view(struct view_settings *s, enum view_kind view)
{
    s->view = view;
    s->n_views++;
    return true;
}

static bool take_callers(struct options *options, const char *value)
{
    struct view_settings *s = settings_of(options);

    if (value[0] == '\0' || !options_check_expression(options, value))
        return false;
    s->callers = value;
    return take_view(s, VIEW_CALLERS);
}

static bool take_span(struct options *options, const char *value)
{
    struct view_settings *s = settings_of(options);

    if (value[0] == '\0' || !options_check_expression(options, value))
        return false;
    s->span = value;
    return take_view(s, VIEW_SPAN);
}

static bool take_color(struct view_settings *s, const char *value)
{
    s->color = strcmp(value, "always") == 0  ? COLOR_ALWAYS
               : strcmp(value, "never") == 0 ? COLOR_NEVER
                                             : COLOR_AUTO;
    return s->color != COLOR_AUTO || strcmp(value, "auto") == 0;
}

static bool take_sort(struct view_settings *s, const char *value)
{
    s->has_sort = true;
    s->sorts_by_total = strcmp(value, "total") == 0;
    return event_column_find(value, &s->sort);
}

static bool take_width(struct options *options, const char *value)
{
    enum { NARROWEST = 80, WIDEST = 100000 };
    struct view_settings *s = settings_of(options);

    s->has_width = true;
    if (parse_u64(value, &s->width) &&
        (s->width == 0 || (s->width >= NARROWEST && s->width <= WIDEST)))
        return true;
    snprintf(options->problem, sizeof(options->problem),
             "lines have %d to %d columns, or 0 for no limit", NARROWEST, WIDEST);
    return false;
}

static bool take_own(struct options *options, int letter, const char *value)
{
    struct view_settings *s = settings_of(options);

    switch (letter) {
    case LETTER_ASYNC:
        return take_view(s, VIEW_ASYNC);
    case LETTER_FLOWS:
        return take_view(s, VIEW_FLOWS);
    case LETTER_COUNTERS:
        return take_view(s, VIEW_COUNTERS);
    case LETTER_INSTANTS:
        return take_view(s, VIEW_INSTANTS);
    case LETTER_AT:
        s->has_at = true;
        return parse_time(value, &s->at_ns);
    case LETTER_BY:
        return take_by(s, value);
    case LETTER_BY_ARG:
        s->by_arg = value;
        return value[0] != '\0';
    case LETTER_CALLERS:
        return take_callers(options, value);
    case LETTER_COLOR:
        return take_color(s, value);
    case LETTER_CRITICAL_PATH:
        s->is_critical_path = true;
        return true;
    case LETTER_DIFF:
        options->before = value;
        return value[0] != '\0';
    case LETTER_JSON:
        s->is_json = true;
        return true;
    case LETTER_LINES:
        s->by = BY_LINE;
        return take_view(s, VIEW_TABLE);
    case LETTER_MIN:
        s->has_min = true;
        return parse_hundredths(value, &s->min_share) && s->min_share <= ALL_SHARES;
    case LETTER_NO_PAGER:
        s->no_pager = true;
        return true;
    case LETTER_NO_SOURCE:
        s->no_source = true;
        return true;
    case LETTER_ROWS:
        s->has_rows = true;
        return parse_u64(value, &s->n_rows);
    case LETTER_SORT:
        return take_sort(s, value);
    case LETTER_SPAN:
        return take_span(options, value);
    case LETTER_TREE:
        return take_view(s, VIEW_TREE);
    case LETTER_VALUE:
        return options_take_value(&options->write, value);
    case LETTER_WIDTH:
        return take_width(options, value);
    default:
        return false;
    }
}

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
    struct view_settings *s = settings_of(options);
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

    if (conflict != NULL) {
        complain(options->program, NULL, "%s", conflict);
        return false;
    }
    if (s->before != NULL && output_replaces(options->output, s->before)) {
        complain(options->program, options->output,
                 "is also an input, and would be overwritten");
        return false;
    }
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
        .take_own = take_own,
        .query = query_database,
        .own = &settings,
        .check_own = check_own,
        .write_own = write_report,
        .choose_value = weights_choose,
    };

    return convert_main(&converter, argc, argv);
}
