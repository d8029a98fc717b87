/* SPDX-License-Identifier: BSD-2-Clause */
/* See tree.h. */
#include "tree.h"

#include "common/base/sort.h"
#include "common/base/table_items.h"
#include "common/base/text.h"
#include "tree_callers.h"

struct tree_builder {
    const struct weights *weights;
    const struct measure *measure;
    struct tree_node *nodes;
    size_t n_nodes;
    size_t node_capacity;
    struct table table;

    /* The path that was added last: its functions from the root on, and their nodes. */
    uint32_t *rows;
    uint32_t *path;
    size_t n_path;
    size_t path_capacity;
    /* A stack, the innermost function first. */
    uint32_t *stack;
    size_t stack_capacity;

    /* What is cut off. */
    int64_t min;
    struct tree *tree;
};

/* ---- Nodes ------------------------------------------------------------------------- */

static uint32_t find_child(struct tree_builder *b, uint32_t parent, uint32_t row)
{
    struct tree_node node = {.parent = parent, .row = row};
    size_t n_before = b->n_nodes;
    uint32_t child =
        TABLE_PUT(&b->table, b->nodes, b->n_nodes, b->node_capacity, &node, parent, row);

    if (child == n_before) {
        b->nodes[child].next = b->nodes[parent].first_child;
        b->nodes[parent].first_child = child;
    }
    return child;
}

static void make_path_room(struct tree_builder *b, size_t n)
{
    size_t capacity = b->path_capacity;

    if (n <= capacity)
        return;
    b->path_capacity = 2 * n;
    b->rows = memory_reallocate(b->rows, b->path_capacity * sizeof(*b->rows));
    b->path = memory_reallocate(b->path, b->path_capacity * sizeof(*b->path));
}

/* Adds a path of `n` functions, of which the last is the outermost. Paths that follow
 * each other often begin alike. */
static void add_path(struct tree_builder *b, const uint32_t *last, size_t n,
                     struct weight weight)
{
    size_t i = 0;
    uint32_t node = 0;

    make_path_room(b, n);
    while (i < n && i < b->n_path && b->rows[i] == *(last - i))
        node = b->path[i++];
    for (; i < n; i++) {
        b->rows[i] = *(last - i);
        node = find_child(b, node, b->rows[i]);
        b->path[i] = node;
    }
    b->n_path = n;
    weight_add(&b->nodes[node].self, weight);
}

static void add_stack(struct tree_builder *b, size_t number)
{
    struct weight weight = b->weights->stacks[number];
    struct fxt_profile_stack stack;
    size_t n;

    if (weight.value == 0)
        return;
    fxt_profile_get_stack(b->weights->profile, number, &stack);
    n = measure_depth(b->measure, &stack);
    b->stack = memory_make_room(b->stack, 0, n, &b->stack_capacity, sizeof(*b->stack));
    measure_stack(b->measure, &stack, b->stack);
    add_path(b, b->stack + n - 1, n, weight);
}

/* A node's number is larger than its parent's. */
static void sum_nodes(struct tree_builder *b)
{
    for (size_t i = b->n_nodes; i-- > 0;) {
        struct tree_node *node = &b->nodes[i];

        weight_add(&node->total, node->self);
        if (i > 0)
            weight_add(&b->nodes[node->parent].total, node->total);
    }
}

/* By the measure's rows: it matches the expression. */
static bool *find_matches(const struct measure *m, const regex_t *from)
{
    bool *matches = memory_allocate(m->n * sizeof(*matches));
    struct text name = {NULL, 0, 0};

    for (size_t i = 0; i < m->n; i++) {
        name.size = 0;
        text_add(&name, m->rows[i].name.data, m->rows[i].name.size);
        text_char(&name, '\0');
        matches[i] = !m->rows[i].is_unnamed && regexec(from, name.data, 0, NULL, 0) == 0;
    }
    text_free(&name);
    return matches;
}

/* ---- Lines ------------------------------------------------------------------------- */

/* What qsort compares by. */
static const struct tree_node *sorted_nodes;
static const struct measure *sorted_measure;

static int order_children(const void *left, const void *right)
{
    const struct tree_node *a = &sorted_nodes[*(const uint32_t *)left];
    const struct tree_node *b = &sorted_nodes[*(const uint32_t *)right];

    if (a->total.value != b->total.value)
        return a->total.value < b->total.value ? 1 : -1;
    return measure_order(&sorted_measure->rows[a->row], &sorted_measure->rows[b->row]);
}

/* A node whose line comes next; or, without a node, the branches that were cut off. */
struct tree_next {
    uint32_t node;
    struct tree_line line;
};

struct tree_queue {
    struct tree_next *all;
    size_t n;
    size_t capacity;
};

static void push(struct tree_queue *queue, uint32_t node, const struct tree_line *line)
{
    MEMORY_ADD(queue->all, queue->n, queue->capacity, (struct tree_next){node, *line});
}

/* Queues the children of a node, the heaviest last, so that it is next. */
static void queue_children(struct tree_builder *b, struct tree_queue *queue,
                           uint32_t parent, uint32_t line)
{
    uint32_t depth = line == TREE_NONE ? 0 : b->tree->lines[line].depth + 1;
    struct tree_line cut = {.parent = line, .depth = depth, .row = TREE_NONE};
    size_t n = 0;

    for (uint32_t i = b->nodes[parent].first_child; i != 0; i = b->nodes[i].next) {
        if (b->nodes[i].total.value < b->min) {
            cut.n_cut++;
            weight_add(&cut.total, b->nodes[i].total);
            continue;
        }
        MEMORY_ADD(b->stack, n, b->stack_capacity, i);
    }
    if (cut.n_cut > 0)
        push(queue, 0, &cut);
    SORT(b->stack, n, order_children);
    for (size_t i = n; i-- > 0;) {
        const struct tree_node *node = &b->nodes[b->stack[i]];

        push(queue, b->stack[i],
             &(struct tree_line){.parent = line,
                                 .depth = depth,
                                 .row = node->row,
                                 .self = node->self,
                                 .total = node->total});
    }
    if (line != TREE_NONE)
        b->tree->lines[line].n_children = (uint32_t)n + (cut.n_cut > 0);
}

static void add_lines(struct tree_builder *b)
{
    struct tree_queue queue = {NULL, 0, 0};

    sorted_nodes = b->nodes;
    sorted_measure = b->measure;
    queue_children(b, &queue, 0, TREE_NONE);
    while (queue.n > 0) {
        struct tree_next next = queue.all[--queue.n];

        tree_add_line(b->tree, &next.line);
        if (next.node != 0)
            queue_children(b, &queue, next.node, (uint32_t)b->tree->n - 1);
    }
}

void tree_make(struct tree *tree, const struct weights *weights,
               const struct measure *measure, const regex_t *from, int64_t min)
{
    struct tree_builder b = {
        .weights = weights, .measure = measure, .min = min, .tree = tree};

    *tree = (struct tree){.n = 0};
    MEMORY_ADD(b.nodes, b.n_nodes, b.node_capacity, (struct tree_node){.row = TREE_NONE});
    for (size_t i = 0; i < fxt_profile_n_stacks(weights->profile); i++)
        add_stack(&b, i);
    sum_nodes(&b);
    if (from != NULL) {
        bool *matches = find_matches(measure, from);

        tree_add_callers(tree, &(struct tree_nodes){b.nodes, b.n_nodes}, measure, matches,
                         min);
    } else {
        add_lines(&b);
    }
}
