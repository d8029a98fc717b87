/* SPDX-License-Identifier: BSD-2-Clause */
/* See flame_tree.h. */
#include "flame_tree.h"
#include "common/base/sort.h"

#include <string.h>

/* A stack as the ranks of its names among all names, from the bottom of the graph up. */
struct path {
    const uint32_t *ranks;
    uint32_t n;
    uint64_t count;
    uint64_t before;
};

/* The folds whose stacks are in the graph. */
struct stacks {
    const struct fold *fold;
    const struct flame_before *before;
};

struct builder {
    struct flame_tree *tree;
    uint64_t min_count;
    /* Frames without a count are those of the other fold. */
    bool compares;
    /* How many samples have been laid out, and how many of the fold compared with. */
    uint64_t now;
    uint64_t now_before;
    /* The open frames, which the next sample may share, by their depth. */
    size_t *open;
    size_t n_open;
    size_t open_capacity;
};

uint64_t flame_total(const struct fold *fold)
{
    uint64_t total = 0;

    for (size_t i = 0; i < fold->n_stacks; i++)
        total = fold_add_up(total, fold_stack_at(fold, i).count);
    return total;
}

/* ---- Order ------------------------------------------------------------------------- */

struct name {
    struct string string;
    uint32_t number;
};

SORT_ORDER(order_names, struct name, BY_ORDER(string_compare(a->string, b->string)));

/* The names in the order of their bytes. */
static struct name *sort_names(const struct string_table *strings)
{
    struct name *names = memory_allocate(strings->n * sizeof(*names));

    for (uint32_t i = 0; i < strings->n; i++)
        names[i] = (struct name){string_table_get(strings, i), i};
    SORT(names, strings->n, order_names);
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

static size_t count_frames(const struct fold *fold)
{
    size_t n = 0;

    for (size_t i = 0; i < fold->n_stacks; i++)
        n += fold->n_roots + fold_frames(fold, fold->rows[i].source).n;
    return n;
}

/* Adds the paths of a fold's stacks, and returns where the next ranks go. `names` is NULL
 * if the fold's names have the numbers that `rank_of` has. */
static uint32_t *add_paths(struct path *to, uint32_t *ranks, const struct fold *fold,
                           const uint32_t *names, const uint32_t *rank_of, bool reverse)
{
    for (size_t i = 0; i < fold->n_stacks; i++) {
        struct fold_stack stack = fold_stack_at(fold, i);
        uint32_t n = fold_depth(fold, &stack);

        to[i] = (struct path){.ranks = ranks, .n = n};
        *(names == NULL ? &to[i].count : &to[i].before) = stack.count;
        for (uint32_t j = 0; j < n; j++) {
            uint32_t name = fold_name(fold, &stack, reverse ? n - 1 - j : j);

            *ranks++ = rank_of[names != NULL ? names[name] : name];
        }
    }
    return ranks;
}

/* All stacks in the order in which they are laid out; `ranks` has room for all frames. */
static struct path *sort_paths(const struct stacks *stacks, const struct name *names,
                               uint32_t *ranks, bool reverse, size_t *n)
{
    const struct fold *fold = stacks->fold;
    const struct flame_before *before = stacks->before;
    uint32_t *rank_of = memory_allocate(fold->names.n * sizeof(*rank_of));
    struct path *paths;

    *n = fold->n_stacks + (before != NULL ? before->fold->n_stacks : 0);
    paths = memory_allocate(*n * sizeof(*paths));
    for (uint32_t i = 0; i < fold->names.n; i++)
        rank_of[names[i].number] = i;
    ranks = add_paths(paths, ranks, fold, NULL, rank_of, reverse);
    if (before != NULL)
        add_paths(paths + fold->n_stacks, ranks, before->fold, before->names, rank_of,
                  reverse);
    memory_release(rank_of);
    if (!fold->settings->wanted.no_merge)
        SORT(paths, *n, order_paths);
    return paths;
}

/* ---- Frames ------------------------------------------------------------------------ */

static void open_frame(struct builder *b, uint32_t name)
{
    struct flame_tree *tree = b->tree;

    tree->frames = memory_grow(tree->frames, tree->n_frames, &tree->frame_capacity,
                               sizeof(*tree->frames));
    b->open = memory_grow(b->open, b->n_open, &b->open_capacity, sizeof(*b->open));
    /* Until it is closed, `before` is where it began. */
    tree->frames[tree->n_frames] = (struct flame_frame){.name = name,
                                                        .depth = (uint32_t)b->n_open,
                                                        .start = b->now,
                                                        .before = b->now_before};
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
        frame->before = b->now_before - frame->before;
        if (frame->count < b->min_count && frame->depth > 0) {
            tree->n_frames--;
            tree->n_left_out += frame->count > 0 || !b->compares;
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
    struct path before = {.ranks = NULL};

    open_frame(b, FLAME_ALL);
    for (size_t i = 0; i < n_paths; i++) {
        uint32_t common = common_start(&before, &paths[i]);

        close_frames(b, (size_t)common + 1);
        for (uint32_t j = common; j < paths[i].n; j++)
            open_frame(b, names[paths[i].ranks[j]].number);
        b->now = fold_add_up(b->now, paths[i].count);
        b->now_before = fold_add_up(b->now_before, paths[i].before);
        before = paths[i];
    }
    close_frames(b, 0);
}

void flame_tree_build(struct flame_tree *tree, const struct fold *fold,
                      const struct flame_before *before, bool reverse, uint64_t min_count)
{
    struct stacks stacks = {fold, before};
    size_t n_ranks =
        count_frames(fold) + (before != NULL ? count_frames(before->fold) : 0);
    uint32_t *ranks = (uint32_t *)memory_reserve(n_ranks * sizeof(*ranks));
    struct name *names = sort_names(&fold->names);
    size_t n_paths;
    struct path *paths = sort_paths(&stacks, names, ranks, reverse, &n_paths);
    struct builder b = {.tree = tree, .min_count = min_count, .compares = before != NULL};

    /* What the other fold alone has is no frame. */
    if (before != NULL && b.min_count == 0)
        b.min_count = 1;
    *tree = (struct flame_tree){.n_frames = 0};
    lay_down(&b, paths, n_paths, names);
    memory_release(b.open);
    memory_release(paths);
    memory_release(names);
    memory_release(ranks);
}
