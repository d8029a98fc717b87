/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See filter.h: what depends on the names of functions. Each name is compared with each
 * expression once, each stack is cut once, and sorting brings together what has become
 * equal.
 */
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "prune.h"

struct cutter {
    const struct filter *filter;
    struct profile *profile;
    struct filter_tally *tally;
    /* Which functions the expressions match. */
    bool *is_idle;
    bool *is_above;
    bool *is_below;
    /* How many frames each stack has lost, by reason; allocated once it is cut. */
    struct cut *cuts;
};

struct cut {
    bool done;
    uint32_t n_above;
    uint32_t n_below;
    uint32_t n_recursive;
};

/* ---- Names ------------------------------------------------------------------------- */

static bool matches_any(const struct filter_expressions *expressions, const char *name)
{
    for (size_t i = 0; i < expressions->n; i++) {
        if (regexec(&expressions->expressions[i], name, 0, NULL, 0) == 0)
            return true;
    }
    return false;
}

/* Which of the profile's functions match, for the caller to free. */
static bool *match_names(const struct profile *p,
                         const struct filter_expressions *expressions)
{
    bool *found = (bool *)must_allocate(p->n_functions * sizeof(*found));
    struct text name = {NULL, 0, 0};

    for (size_t i = 0; i < p->n_functions && expressions->n > 0; i++) {
        struct string string = strings_get(&p->names, p->functions[i].name);

        name.size = 0;
        text_add(&name, string.data, string.size);
        text_char(&name, '\0');
        found[i] = matches_any(expressions, name.data);
    }
    text_free(&name);
    return found;
}

static const struct profile_location *location_of(const struct profile *p, uint64_t frame)
{
    return &p->locations[p->frames[frame]];
}

/* Whether a function of a location matches; of all that the compiler put together there,
 * any will do. */
static bool matches(const struct profile *p, const struct profile_location *location,
                    const bool *matching)
{
    for (uint32_t i = 0; i < location->n_lines; i++) {
        if (matching[p->lines[location->first_line + i].function])
            return true;
    }
    return false;
}

static bool same_functions(const struct profile *p, const struct profile_location *a,
                           const struct profile_location *b)
{
    if (a->n_lines != b->n_lines)
        return false;
    for (uint32_t i = 0; i < a->n_lines; i++) {
        if (p->functions[p->lines[a->first_line + i].function].name !=
            p->functions[p->lines[b->first_line + i].function].name)
            return false;
    }
    return true;
}

/* ---- Stacks ------------------------------------------------------------------------ */

/* The place of the outermost frame that matches, counted from the leaf; UINT32_MAX if
 * there is none. */
static uint32_t find_outermost(const struct profile *p, const struct profile_stack *stack,
                               const bool *matching)
{
    for (uint32_t i = stack->n; i > 0; i--) {
        if (matches(p, location_of(p, stack->first + i - 1), matching))
            return i - 1;
    }
    return UINT32_MAX;
}

/* Of frames next to each other of one function the innermost stays. */
static uint32_t fold_recursion(struct profile *p, struct profile_stack *stack)
{
    uint64_t first = stack->first;
    uint32_t n = stack->n;
    uint32_t kept = 1;

    for (uint32_t i = 1; i < n; i++) {
        if (same_functions(p, location_of(p, first + i),
                           location_of(p, first + kept - 1)))
            continue;
        p->frames[first + kept] = p->frames[first + i];
        p->pcs[first + kept++] = p->pcs[first + i];
    }
    stack->n = kept;
    return n - kept;
}

static void cut_stack(struct cutter *c, struct profile_stack *stack, struct cut *cut)
{
    uint32_t root = find_outermost(c->profile, stack, c->is_above);
    uint32_t leaf;

    if (root != UINT32_MAX) {
        cut->n_above = stack->n - (root + 1);
        stack->n = root + 1;
    }
    leaf = find_outermost(c->profile, stack, c->is_below);
    if (leaf != UINT32_MAX) {
        cut->n_below = leaf;
        stack->first += leaf;
        stack->n -= leaf;
    }
    if (c->filter->folds_recursion)
        cut->n_recursive = fold_recursion(c->profile, stack);
    cut->done = true;
}

static void cut_sample(struct cutter *c, size_t sample)
{
    struct profile *p = c->profile;
    uint64_t n = profile_count(p, sample);
    uint32_t stack = p->samples[sample].stack;
    struct cut *cut = &c->cuts[stack];

    if (!cut->done)
        cut_stack(c, &p->stacks[stack], cut);
    c->tally->n_above += n * cut->n_above;
    c->tally->n_below += n * cut->n_below;
    c->tally->n_recursive += n * cut->n_recursive;
}

static bool is_hidden(const struct cutter *c, size_t sample)
{
    const struct profile *p = c->profile;
    const struct profile_stack *stack = &p->stacks[p->samples[sample].stack];

    return c->filter->hides_idle && matches(p, location_of(p, stack->first), c->is_idle);
}

/* Idle samples go by the leaf that they were taken in, and so before anything is cut. */
static void hide_idle(struct cutter *c)
{
    struct profile *p = c->profile;
    size_t kept = 0;

    for (size_t i = 0; i < p->n_samples; i++) {
        if (is_hidden(c, i))
            c->tally->n_idle += profile_count(p, i);
        else
            profile_move_sample(p, i, kept++);
    }
    p->n_samples = kept;
}

void filter_stacks(const struct filter *filter, struct profile *p,
                   struct filter_tally *tally)
{
    struct cutter c = {.filter = filter, .profile = p, .tally = tally};

    if (!filter->hides_idle && filter->above.n == 0 && filter->below.n == 0 &&
        !filter->folds_recursion)
        return;
    c.is_idle = match_names(p, &filter->idle);
    c.is_above = match_names(p, &filter->above);
    c.is_below = match_names(p, &filter->below);
    c.cuts = (struct cut *)must_allocate(p->n_stacks * sizeof(*c.cuts));
    hide_idle(&c);
    for (size_t i = 0; i < p->n_samples; i++)
        cut_sample(&c, i);
    free(c.is_idle);
    free(c.is_above);
    free(c.is_below);
    free(c.cuts);
    profile_prune(p);
    profile_merge(p);
}
