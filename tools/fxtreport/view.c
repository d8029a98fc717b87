/* SPDX-License-Identifier: BSD-2-Clause */
/* See view.h. */
#include "view.h"

bool view_is_of_functions(const struct view *v)
{
    return fxt_profile_kind(v->now.profile) != FXT_PROFILE_KIND_SPANS &&
           v->now.conversion->options.build.source != FXT_PROFILE_WAKEUPS;
}

void view_make_tree(const struct view *v, struct measure *measure, struct tree *tree)
{
    const struct view_settings *s = v->settings;
    double total = (double)v->now.weights.total.value;
    bool is_inverted = s->view == VIEW_CALLERS;
    regex_t expression;

    measure_make(measure, &v->now.weights, BY_FUNCTION, view_keeps_addresses(v));
    /* It was checked with the options. */
    if (is_inverted)
        regcomp(&expression, s->callers, REG_EXTENDED | REG_NOSUB);
    tree_make(tree, &v->now.weights, measure, is_inverted ? &expression : NULL,
              (int64_t)(total * (double)s->min_share / ALL_SHARES));
    if (is_inverted)
        regfree(&expression);
}

bool view_is_of_heaps(const struct view *v)
{
    return fxt_profile_kind(v->now.profile) == FXT_PROFILE_KIND_HEAPS;
}

void view_make_diff(const struct view *v, struct measure *before, struct measure *after,
                    struct diff *diff)
{
    enum measure_by by = v->settings->view == VIEW_TABLE ? v->settings->by : BY_FUNCTION;
    enum fxt_profile_kind kind = fxt_profile_kind(v->now.profile);

    measure_make_comparable(before, &v->before.weights, by, view_keeps_addresses(v));
    measure_make_comparable(after, &v->now.weights, by, view_keeps_addresses(v));
    diff_make(diff, before, after, v->settings->sorts_by_total, view_is_of_heaps(v),
              kind == FXT_PROFILE_KIND_SAMPLES || kind == FXT_PROFILE_KIND_CAPTURES);
}
