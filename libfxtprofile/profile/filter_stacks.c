/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See filter.h: what depends on the names of functions. Each name is compared with each
 * expression once, each stack is cut once, and sorting brings together what has become
 * equal.
 */
#include <string.h>

#include "filter.h"
#include "location_list.h"
#include "prune.h"

/* A function of a stack: one of the lines of one of its frames. */
struct call {
    uint32_t frame;
    uint32_t line;
};

struct cutter {
    const struct filter *filter;
    struct profile_builder *builder;
    struct profile *profile;
    struct filter_tally *tally;
    /* Which functions the expressions match. */
    bool *is_idle;
    bool *is_above;
    bool *is_below;
    /* How many functions each stack has lost, by reason; allocated once it is cut. */
    struct cut *cuts;
    /* The functions of the current stack, innermost first. */
    struct call *calls;
    size_t call_capacity;
    uint32_t n_calls;
    /* For frames of which only some lines are left. */
    struct location_list locations;
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
        if (regexec(&expressions->expressions[i]->compiled, name, 0, NULL, 0) == 0)
            return true;
    }
    return false;
}

/* Which of the profile's functions match, for the caller to free. */
static bool *match_names(const struct profile *p,
                         const struct filter_expressions *expressions)
{
    bool *found = (bool *)memory_allocate(p->n_functions * sizeof(*found));
    struct text name = {NULL, 0, 0};

    for (size_t i = 0; i < p->n_functions && expressions->n > 0; i++) {
        struct string string = string_table_get(&p->names, p->functions[i].name);

        name.size = 0;
        text_add(&name, string.data, string.size);
        text_char(&name, '\0');
        found[i] = matches_any(expressions, name.data);
    }
    text_free(&name);
    return found;
}

/* ---- Stacks ------------------------------------------------------------------------ */

static void list_calls(struct cutter *c, const struct profile_stack *stack)
{
    const struct profile *p = c->profile;

    c->n_calls = 0;
    for (uint32_t i = 0; i < stack->n; i++) {
        const struct profile_location *location = &p->locations[stack->frames[i]];

        for (uint32_t j = 0; j < location->n_lines; j++) {
            MEMORY_ADD(c->calls, c->n_calls, c->call_capacity,
                       (struct call){i, location->first_line + j});
        }
    }
}

/* The place of the outermost function that matches, counted from the innermost;
 * UINT32_MAX if there is none. */
static uint32_t find_outermost(const struct cutter *c, const bool *matching)
{
    for (uint32_t i = c->n_calls; i > 0; i--) {
        if (matching[c->profile->lines[c->calls[i - 1].line].function])
            return i - 1;
    }
    return UINT32_MAX;
}

static uint32_t name_of(const struct cutter *c, struct call call)
{
    const struct profile *p = c->profile;

    return p->functions[p->lines[call.line].function].name;
}

/* Of adjacent calls of one function the innermost is kept. */
static uint32_t fold_recursion(struct cutter *c)
{
    uint32_t n = c->n_calls;
    uint32_t kept = 1;

    for (uint32_t i = 1; i < n; i++) {
        if (name_of(c, c->calls[i]) != name_of(c, c->calls[kept - 1]))
            c->calls[kept++] = c->calls[i];
    }
    c->n_calls = kept;
    return n - kept;
}

/* The location that has these lines of another one, of which there is at least one. */
static uint32_t keep_lines(struct cutter *c, uint32_t number, const struct call *calls,
                           uint32_t n)
{
    struct profile *p = c->profile;
    struct profile_location location = p->locations[number];

    if (n == location.n_lines)
        return number;
    location.first_line = (uint32_t)p->n_lines;
    location.n_lines = n;
    for (uint32_t i = 0; i < n; i++)
        location_list_add_line(&c->locations, p->lines[calls[i].line]);
    return location_list_add(&c->locations, &location);
}

/* Makes frames of the calls that are left. Each keeps its PC. */
static void keep_calls(struct cutter *c, struct profile_stack *stack)
{
    const struct profile *p = c->profile;
    uint32_t *frames = stack->frames;
    uint32_t *pcs = p->stack_pcs != NULL ? p->stack_pcs[stack - p->stacks] : NULL;
    uint32_t kept = 0;
    uint32_t next;

    for (uint32_t i = 0; i < c->n_calls; i = next) {
        uint32_t frame = c->calls[i].frame;

        for (next = i + 1; next < c->n_calls && c->calls[next].frame == frame;)
            next++;
        frames[kept] = keep_lines(c, frames[frame], c->calls + i, next - i);
        if (pcs != NULL)
            pcs[kept] = pcs[frame];
        kept++;
    }
    stack->n = kept;
}

static void cut_stack(struct cutter *c, struct profile_stack *stack, struct cut *cut)
{
    uint32_t root;
    uint32_t leaf;

    list_calls(c, stack);
    root = find_outermost(c, c->is_above);
    if (root != UINT32_MAX) {
        cut->n_above = c->n_calls - (root + 1);
        c->n_calls = root + 1;
    }
    leaf = find_outermost(c, c->is_below);
    if (leaf != UINT32_MAX) {
        cut->n_below = leaf;
        c->n_calls -= leaf;
        memmove(c->calls, c->calls + leaf, c->n_calls * sizeof(*c->calls));
    }
    if (c->filter->folds_recursion)
        cut->n_recursive = fold_recursion(c);
    keep_calls(c, stack);
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

/* What is inlined into an idle function is a part of it. */
static bool is_hidden(const struct cutter *c, size_t sample)
{
    const struct profile *p = c->profile;
    const struct profile_stack *stack = &p->stacks[p->samples[sample].stack];
    const struct profile_location *leaf = &p->locations[stack->frames[0]];

    for (uint32_t i = 0; i < leaf->n_lines && c->filter->hides_idle; i++) {
        if (c->is_idle[p->lines[leaf->first_line + i].function])
            return true;
    }
    return false;
}

/* Idle samples are recognized by the original leaf, so they are removed before stacks are
 * cut. */
static void hide_idle(struct cutter *c)
{
    struct profile *p = c->profile;
    size_t kept = 0;

    for (size_t i = 0; i < p->n_samples; i++) {
        if (is_hidden(c, i))
            filter_count(&c->tally->idle, p, i);
        else
            profile_builder_move_sample(c->builder, i, kept++);
    }
    profile_builder_keep_first(c->builder, kept);
}

void filter_stacks(const struct filter *filter, struct profile_builder *b,
                   struct filter_tally *tally)
{
    struct profile *p = &b->profile;
    struct cutter c = {
        .filter = filter,
        .builder = b,
        .profile = p,
        .tally = tally,
        .locations = {.builder = b,
                      .capacity = p->n_locations,
                      .line_capacity = p->n_lines},
    };

    if (!filter->hides_idle && filter->above.n == 0 && filter->below.n == 0 &&
        !filter->folds_recursion)
        return;
    c.is_idle = match_names(p, &filter->idle);
    c.is_above = match_names(p, &filter->above);
    c.is_below = match_names(p, &filter->below);
    c.cuts = (struct cut *)memory_allocate(p->n_stacks * sizeof(*c.cuts));
    hide_idle(&c);
    for (size_t i = 0; i < p->n_samples; i++)
        cut_sample(&c, i);
    memory_release(c.is_idle);
    memory_release(c.is_above);
    memory_release(c.is_below);
    memory_release(c.cuts);
    memory_release(c.calls);
    table_free(&c.locations.table);
    profile_prune(b);
    profile_merge_samples(b);
}
