/* SPDX-License-Identifier: BSD-2-Clause */
/* See print.h: the whole report. */
#include "print.h"

#include <stdlib.h>
#include <string.h>

#include "events/print_events.h"
#include "names.h"
#include "pager.h"
#include "spans/print_span.h"
#include "tools/common/report.h"
#include "tools/convert/conversion.h"

/* Reports are as wide as this where their width is not known. */
enum { USUAL_WIDTH = 80 };

/* ---- The earlier recording --------------------------------------------------------- */

static void start_recorded(struct recorded *recorded, const struct conversion *c)
{
    recorded->conversion = c;
    recorded->profile = c->profile;
    weights_make(&recorded->weights, c->profile,
                 weights_choose(c->profile, &c->options.write));
}

/* ---- Writing ----------------------------------------------------------------------- */

static bool add_report(const struct view *v, struct text *text)
{
    struct measure measure;

    if (v->settings->is_json)
        return print_json(v, text);
    if (v->has_before) {
        print_diff(v, text);
        return true;
    }
    switch (v->settings->view) {
    case VIEW_TREE:
    case VIEW_CALLERS:
        return print_tree(v, text);
    case VIEW_TABLE:
        print_header(v, &v->now, text);
        text_char(text, '\n');
        measure_make(&measure, &v->now.weights, v->settings->by, view_keeps_addresses(v));
        print_table(v, &measure, text);
        return true;
    case VIEW_SUMMARY:
        print_summary(v, text);
        return true;
    case VIEW_SPANS:
    case VIEW_ASYNC:
    case VIEW_FLOWS:
    case VIEW_COUNTERS:
    case VIEW_INSTANTS:
        print_header(v, &v->now, text);
        if (fxt_profile_n_losses(v->now.profile) > 0)
            print_missing(v, NULL, text);
        print_events(v, text);
        return true;
    case VIEW_SPAN:
        return print_span(v, text);
    }
    return true;
}

/* Whether there are colors: the output is a terminal, and NO_COLOR (no-color.org) is not
 * set. */
static bool wants_color(const struct view_settings *s, bool is_terminal)
{
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");

    if (s->color != COLOR_AUTO)
        return s->color == COLOR_ALWAYS;
    return is_terminal && (no_color == NULL || *no_color == '\0') && terminal != NULL &&
           strcmp(terminal, "dumb") != 0;
}

static void choose_screen(struct view *v, const struct terminal_size *terminal)
{
    const struct view_settings *s = v->settings;

    v->screen.width = terminal->columns > USUAL_WIDTH ? terminal->columns : USUAL_WIDTH;
    if (s->has_width)
        v->screen.width = s->width > 0 ? (size_t)s->width : NAMES_ANY_WIDTH;
    v->screen.has_color = wants_color(s, terminal->is_terminal);
}

static int write_view(struct view *v, struct output *output)
{
    const struct options *o = &v->now.conversion->options;
    struct terminal_size terminal = {0};
    struct text text = {NULL, 0, 0};
    bool found;

    if (o->output == NULL)
        terminal = pager_terminal();
    choose_screen(v, &terminal);
    found = add_report(v, &text);
    if (!terminal.is_terminal || v->settings->no_pager || v->settings->is_json ||
        !pager_show(&terminal, &text))
        output_text(output, &text);
    if (!found && v->settings->view == VIEW_CALLERS)
        complain(v->now.conversion->converter->name, NULL,
                 "no function matches --callers '%s'", v->settings->callers);
    return found ? EXIT_GOOD : EXIT_BAD;
}

static int compare(struct view *v, const struct conversion *before, struct output *output)
{
    v->has_before = true;
    start_recorded(&v->before, before);
    return conversion_is_comparable(v->now.conversion, before) ? write_view(v, output)
                                                               : EXIT_UNUSABLE;
}

/* Names of spans, and of functions in a debugger's log, belong to no code. */
static bool has_rows(const struct view *v)
{
    enum fxt_profile_kind kind = fxt_profile_kind(v->now.profile);
    enum measure_by by = v->settings->by;

    if (v->settings->view != VIEW_TABLE ||
        (kind != FXT_PROFILE_KIND_SPANS && kind != FXT_PROFILE_KIND_CAPTURES) ||
        (by != BY_MODULE && by != BY_SOURCE && by != BY_LINE))
        return true;
    return complain(v->now.conversion->converter->name, NULL, "%s have no %ss",
                    kind == FXT_PROFILE_KIND_SPANS ? "spans" : "a debugger's captures",
                    print_noun(by));
}

int write_report(const struct conversion *c, struct output *output)
{
    const struct view_settings *s = (const struct view_settings *)c->options.own;
    struct view v = {.settings = s};
    struct fxt_profile_file file = {s->before, false, 0};
    struct conversion before = {.converter = NULL};
    int status = EXIT_GOOD;

    start_recorded(&v.now, c);
    if (!has_rows(&v)) {
        status = EXIT_UNUSABLE;
    } else if (s->before == NULL) {
        status = write_view(&v, output);
    } else {
        status = conversion_read_before(&before, c, &file);
        if (before.profile != NULL && status != EXIT_UNUSABLE) {
            int compared = compare(&v, &before, output);

            status = compared > status ? compared : status;
        }
        conversion_free(&before);
    }
    return status;
}
