/* SPDX-License-Identifier: BSD-2-Clause */
/* See stack_tree.h. */
#include "stack_tree.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/table_items.h"

/* The stack that was added last, and by its locations, root first, the node after each.
 * The next stack mostly begins with the same ones, which need not be looked up. */
struct path {
    const struct profile_stack *stack;
    uint32_t *nodes;
    size_t capacity;
};

struct maker {
    struct stack_tree *tree;
    const struct profile *profile;
    const uint32_t *frames;
    struct path path;
};

static uint32_t find_node(struct stack_tree *t, struct stack_node node)
{
    return TABLE_PUT(&t->table, t->nodes, t->n_nodes, t->capacity, &node, prefix, frame);
}

static uint32_t find_nodes(const struct maker *m, uint32_t node, uint32_t number)
{
    const struct profile_location *location = &m->profile->locations[number];

    for (uint32_t i = location->n_lines; i > 0; i--) {
        uint32_t line = location->first_line + i - 1;
        uint32_t frame = m->frames != NULL ? m->frames[line] : line;

        node = find_node(m->tree, (struct stack_node){node, frame});
    }
    return node;
}

/* How many locations two stacks have in common, from the root on. */
static uint32_t count_shared(const struct profile_stack *a, const struct profile_stack *b)
{
    uint32_t n = 0;

    while (n < a->n && n < b->n && a->frames[a->n - 1 - n] == b->frames[b->n - 1 - n])
        n++;
    return n;
}

static uint32_t find_leaf(struct maker *m, const struct profile_stack *stack)
{
    struct path *path = &m->path;
    uint32_t n = path->stack != NULL ? count_shared(path->stack, stack) : 0;
    uint32_t node = n > 0 ? path->nodes[n - 1] : STACK_TREE_NONE;

    path->nodes = memory_make_room(path->nodes, n, stack->n - n, &path->capacity,
                                   sizeof(*path->nodes));
    for (; n < stack->n; n++) {
        node = find_nodes(m, node, stack->frames[stack->n - 1 - n]);
        path->nodes[n] = node;
    }
    path->stack = stack;
    return node;
}

uint32_t *stack_tree_add(struct stack_tree *t, const struct profile *p,
                         const uint32_t *frames)
{
    uint32_t *leaves = (uint32_t *)memory_reserve(p->n_stacks * sizeof(*leaves));
    struct maker m = {.tree = t, .profile = p, .frames = frames};

    memset(leaves, 0xff, p->n_stacks * sizeof(*leaves));
    for (size_t i = 0; i < p->n_samples; i++) {
        uint32_t stack = p->samples[i].stack;

        if (leaves[stack] == STACK_TREE_NONE)
            leaves[stack] = find_leaf(&m, &p->stacks[stack]);
    }
    memory_release(m.path.nodes);
    return leaves;
}
