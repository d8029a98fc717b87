/* SPDX-License-Identifier: BSD-2-Clause */
/* What the user wants to see. */
#ifndef FXTREPORT_SETTINGS_H
#define FXTREPORT_SETTINGS_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/event_rows.h"
#include "measure.h"

enum view_kind {
    VIEW_SUMMARY,
    VIEW_TREE,
    VIEW_CALLERS,
    VIEW_TABLE,
    VIEW_SPAN,
    /* One kind of a trace's events. */
    VIEW_SPANS,
    VIEW_ASYNC,
    VIEW_FLOWS,
    VIEW_COUNTERS,
    VIEW_INSTANTS
};

enum view_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct view_settings {
    enum view_kind view;
    /* How many views were asked for. */
    unsigned n_views;
    /* Of VIEW_TABLE. */
    enum measure_by by;
    /* Of VIEW_CALLERS: a regular expression that compiles. */
    const char *callers;
    /* Of VIEW_SPAN: the same; the argument by whose values spans are shown, NULL for
     * none; and whether it is the critical path of one of them, the slowest or one that
     * is open at a time. */
    const char *span;
    const char *by_arg;
    bool is_critical_path;
    bool has_at;
    uint64_t at_ns;
    /* The earlier recording to compare with; NULL for none. */
    const char *before;
    bool has_sort;
    bool sorts_by_total;
    /* What events are sorted by. */
    enum event_column sort;
    /* How many rows a table has; 0 for all. */
    bool has_rows;
    uint64_t n_rows;
    /* Branches of trees below this are cut off, in hundredths of a percent. */
    bool has_min;
    uint64_t min_share;

    bool is_json;
    enum view_color color;
    bool no_pager;
    /* Pages for browsers have no text of source files. */
    bool no_source;
    /* 0 for lines of any length. */
    bool has_width;
    uint64_t width;
};

/* Whether the view has events of traces. */
static inline bool view_has_events(const struct view_settings *settings)
{
    return settings->view == VIEW_SUMMARY || settings->view >= VIEW_SPANS;
}

/* The default of min_share. */
enum { MIN_SHARE = 50, ALL_SHARES = 10000 };

#endif
