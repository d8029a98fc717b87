/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trees of callers: see tree_callers.h. A line stands for the calls of a function by the
 * same callers: nodes of the tree of calls, one for each place that the calls are in.
 * What is below it stands for the callers of these, so that each line is made in the time
 * that its nodes take, and only if it is not cut off.
 */
#include "common/base/memory.h"
#include "common/base/sort.h"
#include "tree_callers.h"

/* A node on the way from a function to its callers, and what of the function's weight is
 * below it. */
struct climb {
    uint32_t node;
    struct weight weight;
};

/* A line that comes next, with the climbs that are the last ones then; or branches that
 * were cut off, which have none. */
struct group {
    struct tree_line line;
    size_t n;
};

struct callers {
    struct tree *tree;
    const struct tree_node *nodes;
    const struct measure *measure;
    int64_t min;
    /* Those of all groups, each in only one. */
    struct climb *climbs;
    size_t n_climbs;
    struct climb *moved;
    struct group *groups;
    size_t n_groups;
    size_t group_capacity;
};

/* ---- Weights ----------------------------------------------------------------------- */

static void subtract(struct weight *from, struct weight less)
{
    from->value =
        weight_sum(from->value, less.value > INT64_MIN ? -less.value : INT64_MAX);
    from->n -= less.n;
}

/* The weight of the stacks in which a node is the innermost one of its function. A call
 * that is below another one of the same function is counted there only. */
static struct weight *weigh_innermost(const struct tree_nodes *t, size_t n_rows)
{
    const struct tree_node *nodes = t->nodes;
    struct weight *weights = memory_allocate(t->n * sizeof(*weights));
    /* By rows, the innermost node that is open, and by nodes the one before. */
    uint32_t *open = memory_allocate(n_rows * sizeof(*open));
    uint32_t *outer = memory_allocate(t->n * sizeof(*outer));
    uint32_t node = nodes[0].first_child;

    while (node != 0) {
        uint32_t next = nodes[node].first_child;

        weights[node] = nodes[node].total;
        outer[node] = open[nodes[node].row];
        open[nodes[node].row] = node;
        if (outer[node] != 0)
            subtract(&weights[outer[node]], nodes[node].total);
        for (; next == 0 && node != 0; node = nodes[node].parent) {
            open[nodes[node].row] = outer[node];
            next = nodes[node].next;
            if (nodes[node].parent == 0 && next == 0)
                break;
        }
        node = next;
    }
    return weights;
}

/* ---- Groups ------------------------------------------------------------------------ */

/* What qsort compares by. */
static const struct callers *sorted;

static int order_climbs(const void *left, const void *right)
{
    const struct climb *a = (const struct climb *)left;
    const struct climb *b = (const struct climb *)right;
    uint32_t row_a = sorted->nodes[a->node].row;
    uint32_t row_b = sorted->nodes[b->node].row;

    if (row_a != row_b)
        return row_a < row_b ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

/* The heaviest last. */
SORT_ORDER(order_groups, struct group,
           BY(line.total.value) ||
               BY_ORDER(measure_order(&sorted->measure->rows[b->line.row],
                                      &sorted->measure->rows[a->line.row])));

static void add_group(struct callers *c, const struct group *group)
{
    MEMORY_ADD(c->groups, c->n_groups, c->group_capacity, *group);
}

/* Adds a group for each function among the climbs from `first` on, in the order of the
 * climbs. `above` has what their lines have in common. */
static void find_groups(struct callers *c, size_t first, const struct tree_line *above)
{
    for (size_t i = first; i < c->n_climbs;) {
        struct group group = {.line = *above};

        group.line.row = c->nodes[c->climbs[i].node].row;
        for (; i < c->n_climbs && c->nodes[c->climbs[i].node].row == group.line.row;
             i++) {
            weight_add(&group.line.total, c->climbs[i].weight);
            group.n++;
        }
        /* Until they are sorted, where its climbs begin. */
        group.line.n_cut = (uint32_t)(i - group.n);
        add_group(c, &group);
    }
}

static bool is_cut(const struct callers *c, const struct tree_line *line)
{
    return line->depth > 0 &&
           (line->total.value < c->min || c->tree->n + c->n_groups >= TREE_LINES_MAX);
}

/* Leaves out the groups, of those from `first_group` on, that are cut off, and puts the
 * others' climbs into their order. Returns what was cut off. */
static struct tree_line place_groups(struct callers *c, size_t first_group, size_t first,
                                     const struct tree_line *above)
{
    struct tree_line cut = *above;
    size_t n_groups = first_group;
    size_t n = 0;

    for (size_t i = first_group; i < c->n_groups; i++) {
        struct group *group = &c->groups[i];

        if (is_cut(c, &group->line)) {
            cut.n_cut++;
            weight_add(&cut.total, group->line.total);
            continue;
        }
        for (size_t j = 0; j < group->n; j++)
            c->moved[n++] = c->climbs[group->line.n_cut + j];
        group->line.n_cut = 0;
        c->groups[n_groups++] = *group;
    }
    for (size_t i = 0; i < n; i++)
        c->climbs[first + i] = c->moved[i];
    c->n_climbs = first + n;
    c->n_groups = n_groups;
    return cut;
}

/* Makes groups of the climbs from `first` on, below a line. What is cut off comes after
 * the others. Returns how many lines that makes. */
static uint32_t make_groups(struct callers *c, size_t first, uint32_t parent,
                            uint32_t depth)
{
    struct tree_line above = {.parent = parent, .depth = depth, .row = TREE_NONE};
    struct tree_line cut;
    size_t place = c->n_groups;

    sorted = c;
    SORT(c->climbs + first, c->n_climbs - first, order_climbs);
    /* Room for what is cut off. */
    add_group(c, &(struct group){.line = above});
    find_groups(c, first, &above);
    SORT(c->groups + place + 1, c->n_groups - place - 1, order_groups);
    cut = place_groups(c, place + 1, first, &above);
    c->groups[place].line = cut;
    return (uint32_t)(c->n_groups - place - (cut.n_cut == 0));
}

/* ---- Lines ------------------------------------------------------------------------- */

/* Moves the last `n` climbs to their callers. Returns the weight of those that have
 * none. */
static struct weight climb_up(struct callers *c, size_t n)
{
    size_t first = c->n_climbs - n;
    struct weight outermost = {0, 0};
    size_t kept = first;

    for (size_t i = first; i < c->n_climbs; i++) {
        struct climb climb = c->climbs[i];

        climb.node = c->nodes[climb.node].parent;
        if (climb.node == 0)
            weight_add(&outermost, climb.weight);
        else
            c->climbs[kept++] = climb;
    }
    c->n_climbs = kept;
    return outermost;
}

static void add_lines(struct callers *c)
{
    while (c->n_groups > 0) {
        struct group group = c->groups[--c->n_groups];
        uint32_t number = (uint32_t)c->tree->n;
        size_t first = c->n_climbs - group.n;

        if (group.n == 0) {
            if (group.line.n_cut > 0)
                tree_add_line(c->tree, &group.line);
            continue;
        }
        group.line.self = climb_up(c, group.n);
        tree_add_line(c->tree, &group.line);
        if (c->n_climbs > first)
            c->tree->lines[number].n_children =
                make_groups(c, first, number, group.line.depth + 1);
    }
}

void tree_add_callers(struct tree *tree, const struct tree_nodes *t,
                      const struct measure *measure, const bool *matches, int64_t min)
{
    struct callers c = {.tree = tree, .nodes = t->nodes, .measure = measure, .min = min};
    struct weight *weights = weigh_innermost(t, measure->n);

    c.climbs = memory_allocate(t->n * sizeof(*c.climbs));
    c.moved = memory_allocate(t->n * sizeof(*c.moved));
    for (uint32_t i = 1; i < t->n; i++) {
        if (matches[t->nodes[i].row] && (weights[i].value != 0 || weights[i].n != 0))
            c.climbs[c.n_climbs++] = (struct climb){i, weights[i]};
    }
    make_groups(&c, 0, TREE_NONE, 0);
    add_lines(&c);
}
