/* SPDX-License-Identifier: BSD-2-Clause */
/* See print_interpreters.h: files that were not found. */
#include "print_interpreters.h"

/* So many are shown. */
enum { FILES_SHOWN = 3 };

/* The kernel, and what else is no file, has hints in place of this. */
static bool is_report_of_file(const struct held_report *report)
{
    return report->kind == FXT_PROFILE_REPORT_MISSING_FILE && report->message[0] != '[';
}

static void add_item(const struct view *v, struct text *line, struct text *text)
{
    screen_wrap(text, &v->screen, "  ", line->data, line->size);
    line->size = 0;
}

void print_missing_files(const struct view *v, struct text *text)
{
    const struct reports *r = &v->now.conversion->reports;
    struct text line = {NULL, 0, 0};
    struct text commands = {NULL, 0, 0};
    size_t n = 0;

    for (size_t i = 0; i < r->n_held; i++) {
        if (!is_report_of_file(&r->held[i]) || n++ >= FILES_SHOWN)
            continue;
        text_str(&line, r->held[i].message);
        add_item(v, &line, text);
    }
    if (n > FILES_SHOWN) {
        text_printf(&line, "and %zu more such files", n - FILES_SHOWN);
        add_item(v, &line, text);
    }
    reports_add_remedies(r, &commands);
    if (n > 0) {
        text_str(&line, "--debug-dir names a directory with debugging symbols");
        text_str(&line, commands.size > 0 ? "; these commands may bring them:" : "");
        add_item(v, &line, text);
        text_add(text, commands.data, commands.size);
    }
}
