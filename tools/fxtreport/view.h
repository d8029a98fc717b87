/* SPDX-License-Identifier: BSD-2-Clause */
/* One report: what it is about, and how it is shown. */
#ifndef FXTREPORT_VIEW_H
#define FXTREPORT_VIEW_H

#include "common/base/text.h"
#include "diff.h"
#include "grid.h"
#include "settings.h"
#include "tools/convert/conversion.h"
#include "tree.h"
#include "weights.h"

/* A recording that was read. */
struct recorded {
    const struct conversion *conversion;
    const struct fxt_profile *profile;
    struct weights weights;
};

struct view {
    const struct view_settings *settings;
    struct recorded now;
    /* The earlier one, if there is one to compare with. */
    bool has_before;
    struct recorded before;
    struct screen screen;
};

/* Code without a symbol is shown by its addresses: names were not looked for. */
static inline bool view_keeps_addresses(const struct view *view)
{
    return view->now.conversion->options.unsymbolized;
}

/* Whether the names of frames are those of functions, whose parameters and template
 * arguments say least: those of spans and of threads are data. */
bool view_is_of_functions(const struct view *view);

/* Whether values are of heaps, which can be compared as they are. */
bool view_is_of_heaps(const struct view *view);

/* The tree of the settings; the measure is its functions. */
void view_make_tree(const struct view *view, struct measure *measure, struct tree *tree);

/* The two recordings compared; they have the measures. */
void view_make_diff(const struct view *view, struct measure *before,
                    struct measure *after, struct diff *diff);

/* Lines have room for all columns of events. */
static inline bool view_is_wide(const struct view *view)
{
    enum { WIDE = 120 };

    return view->screen.width >= WIDE;
}

/* How many of a table's `n` rows are shown; `usual` is the number without an option. */
static inline size_t view_rows(const struct view *view, size_t n, size_t usual)
{
    size_t rows = usual;

    if (view->settings->has_rows)
        rows = view->settings->n_rows == 0 || view->settings->n_rows > n
                   ? n
                   : (size_t)view->settings->n_rows;
    return rows < n ? rows : n;
}

#endif
