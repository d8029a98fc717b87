/* SPDX-License-Identifier: BSD-2-Clause */
/* See flame_tree.h. */
#include "flame_tree.h"

#include <stdlib.h>
#include <string.h>

/* A stack as the ranks of its names among all names, from the bottom of the graph up. */
struct path {
    const uint32_t *ranks;
    uint32_t n;
    uint64_t count;
};

struct builder {
    struct flame_tree *tree;
    uint64_t min_count;
    /* How many samples have been laid out. */
    uint64_t now;
    /* The open frames, which the next sample may share, by their depth. */
    size_t *open;
    size_t n_open;
    size_t open_capacity;
};

static uint64_t add_up(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t flame_total(const struct fold *fold)
{
    uint64_t total = 0;

    for (size_t i = 0; i < fold->n_stacks; i++)
        total = add_up(total, fold->stacks[i].count);
    return total;
}

/* ---- Order ------------------------------------------------------------------------- */

struct name {
    struct string string;
    uint32_t number;
};

static int order_names(const void *left, const void *right)
{
    const struct name *a = (const struct name *)left;
    const struct name *b = (const struct name *)right;

    return string_compare(a->string, b->string);
}

/* The names in the order of their bytes. */
static struct name *sort_names(const struct string_table *strings)
{
    struct name *names = (struct name *)memory_allocate(strings->n * sizeof(*names));

    for (uint32_t i = 0; i < strings->n; i++)
        names[i] = (struct name){string_table_get(strings, i), i};
    qsort(names, strings->n, sizeof(*names), order_names);
    return names;
}

static int order_paths(const void *left, const void *right)
{
    const struct path *a = (const struct path *)left;
    const struct path *b = (const struct path *)right;

    for (uint32_t i = 0; i < a->n && i < b->n; i++) {
        if (a->ranks[i] != b->ranks[i])
            return a->ranks[i] < b->ranks[i] ? -1 : 1;
    }
    return (a->n > b->n) - (a->n < b->n);
}

static void rank_stack(uint32_t *to, const struct fold *fold,
                       const struct fold_stack *stack, const uint32_t *rank_of,
                       bool reverse)
{
    uint32_t n = fold_depth(fold, stack);

    for (uint32_t i = 0; i < n; i++)
        to[i] = rank_of[fold_name(fold, stack, reverse ? n - 1 - i : i)];
}

/* All stacks in the order in which they are laid out; `ranks` has room for all frames.
 */
static struct path *sort_paths(const struct fold *fold, const struct name *names,
                               uint32_t *ranks, bool reverse)
{
    struct path *paths = (struct path *)memory_allocate(fold->n_stacks * sizeof(*paths));
    uint32_t *rank_of = (uint32_t *)memory_allocate(fold->names.n * sizeof(*rank_of));

    for (uint32_t i = 0; i < fold->names.n; i++)
        rank_of[names[i].number] = i;
    for (size_t i = 0; i < fold->n_stacks; i++) {
        const struct fold_stack *stack = &fold->stacks[i];

        rank_stack(ranks, fold, stack, rank_of, reverse);
        paths[i] = (struct path){ranks, fold_depth(fold, stack), stack->count};
        ranks += paths[i].n;
    }
    memory_release(rank_of);
    if (!fold->settings->no_merge)
        qsort(paths, fold->n_stacks, sizeof(*paths), order_paths);
    return paths;
}

/* ---- Frames ------------------------------------------------------------------------ */

static void open_frame(struct builder *b, uint32_t name)
{
    struct flame_tree *tree = b->tree;

    tree->frames = (struct flame_frame *)memory_grow(
        tree->frames, tree->n_frames, &tree->frame_capacity, sizeof(*tree->frames));
    b->open =
        (size_t *)memory_grow(b->open, b->n_open, &b->open_capacity, sizeof(*b->open));
    tree->frames[tree->n_frames] =
        (struct flame_frame){name, (uint32_t)b->n_open, b->now, 0};
    b->open[b->n_open++] = tree->n_frames++;
}

/* Closes the open frames from some depth on, the deepest first. Frames on top of one that
 * is too narrow were too narrow as well, and were removed: so that frame is the last. */
static void close_frames(struct builder *b, size_t depth)
{
    struct flame_tree *tree = b->tree;

    while (b->n_open > depth) {
        struct flame_frame *frame = &tree->frames[b->open[--b->n_open]];

        frame->count = b->now - frame->start;
        if (frame->count < b->min_count && frame->depth > 0) {
            tree->n_frames--;
            tree->n_left_out++;
        } else if (frame->depth >= tree->n_levels) {
            tree->n_levels = frame->depth + 1;
        }
    }
}

static uint32_t common_start(const struct path *a, const struct path *b)
{
    uint32_t n = 0;

    while (n < a->n && n < b->n && a->ranks[n] == b->ranks[n])
        n++;
    return n;
}

static void lay_down(struct builder *b, const struct path *paths, size_t n_paths,
                     const struct name *names)
{
    struct path before = {NULL, 0, 0};

    open_frame(b, FLAME_ALL);
    for (size_t i = 0; i < n_paths; i++) {
        uint32_t common = common_start(&before, &paths[i]);

        close_frames(b, (size_t)common + 1);
        for (uint32_t j = common; j < paths[i].n; j++)
            open_frame(b, names[paths[i].ranks[j]].number);
        b->now = add_up(b->now, paths[i].count);
        before = paths[i];
    }
    close_frames(b, 0);
}

static size_t count_frames(const struct fold *fold)
{
    size_t n = 0;

    for (size_t i = 0; i < fold->n_stacks; i++)
        n += fold_depth(fold, &fold->stacks[i]);
    return n;
}

void flame_tree_build(struct flame_tree *tree, const struct fold *fold, bool reverse,
                      uint64_t min_count)
{
    uint32_t *ranks = (uint32_t *)memory_reserve(count_frames(fold) * sizeof(*ranks));
    struct name *names = sort_names(&fold->names);
    struct path *paths = sort_paths(fold, names, ranks, reverse);
    struct builder b = {.tree = tree, .min_count = min_count};

    *tree = (struct flame_tree){.n_frames = 0};
    lay_down(&b, paths, fold->n_stacks, names);
    memory_release(b.open);
    memory_release(paths);
    memory_release(names);
    memory_release(ranks);
}

void flame_tree_free(struct flame_tree *tree)
{
    memory_release(tree->frames);
    *tree = (struct flame_tree){.n_frames = 0};
}
