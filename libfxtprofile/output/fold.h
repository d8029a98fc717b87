/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The samples of a profile as stacks of names, root first: what folded stacks and flame
 * graphs have in common. Samples with the same sequence of names are the same stack,
 * whatever their addresses are; fold_sort merges them. Before that, most samples with the
 * same addresses are merged already, so that memory does not grow with threads and CPUs
 * that the output does not show.
 *
 * A stack refers to the profile's stack: neither its frames nor the text of a line are
 * stored.
 */
#ifndef FXTPROFILE_OUTPUT_FOLD_H
#define FXTPROFILE_OUTPUT_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outputs.h"
#include "root_names.h"
#include "libfxtprofile/profile/profile.h"
#include "common/base/arena.h"
#include "common/base/sort.h"
#include "common/base/string_table.h"

/* Frames, leaf first, which have names by the fold's `frame_names`. */
struct fold_frames {
    const uint32_t *frames;
    uint32_t n;
};

/* One stack: its frames, and outside of them a set of roots. */
struct fold_stack {
    const uint32_t *frames;
    uint32_t n;
    uint32_t roots;
    uint64_t count;
};

struct fold {
    const struct profile *profile;
    const struct output_settings *settings;
    /* Which of the samples' values is counted. */
    uint32_t value_type;
    /* Names, quoted by quote_frame or (`raw`) unchanged; and by the profile's lines, the
     * numbers of their frames' names. */
    bool raw;
    struct string_table names;
    uint32_t *line_names;

    /* What fold_add_frames adds to. */
    uint32_t *frames;
    size_t n_frames;
    /* The stacks, in the order of the profile's samples unless they were sorted, as rows
     * of what is in a fold_stack: there may be millions. The key is the count, the source
     * a stack of the profile, and the item a set of roots. */
    struct sort_row *rows;
    size_t n_stacks;
    /* The names of the stacks' frames, and how many there are. */
    const uint32_t *frame_names;
    size_t n_frame_names;
    /* The names of roots, outermost first, `n_roots` to a set. */
    uint32_t n_roots;
    uint32_t *root_names;
    size_t n_root_sets;
    /* Where locations are several frames: the lines of each of the profile's stacks. */
    struct fold_frames *stack_lines;

    /* The rest is private to fold.c. */
    uint32_t *location_names;
    struct root_names root_namer;
    bool has_roots;
    uint32_t root_labels;
    uint32_t roots[OUTPUT_ROOTS];
    /* By the number of labels, their set of roots, plus one. */
    uint32_t *root_sets;
    size_t root_capacity;
    struct table root_table;
    struct arena lines;
    size_t frame_capacity;
    struct text text;
    struct text quoted;
};

/* The frames of a stack of the profile. */
static inline struct fold_frames fold_frames(const struct fold *fold, uint32_t stack)
{
    if (fold->stack_lines != NULL)
        return fold->stack_lines[stack];
    return (struct fold_frames){fold->profile->stacks[stack].frames,
                                fold->profile->stacks[stack].n};
}

/* Prefetches what fold_frames reads. */
static FXT_ALWAYS_INLINE void fold_prefetch_stack(const struct fold *fold, uint32_t stack)
{
    if (fold->stack_lines != NULL)
        FXT_PREFETCH(&fold->stack_lines[stack]);
    else
        FXT_PREFETCH(&fold->profile->stacks[stack]);
}

/* The stack of a row. */
static inline struct fold_stack fold_stack_at(const struct fold *fold, size_t i)
{
    struct sort_row row = fold->rows[i];
    struct fold_frames frames = fold_frames(fold, row.source);

    return (struct fold_stack){
        .frames = frames.frames,
        .n = frames.n,
        .roots = row.item,
        .count = row.key,
    };
}

/* For loops over all stacks, which are scattered in memory: prefetches those that follow
 * soon. */
static FXT_ALWAYS_INLINE void fold_prefetch(const struct fold *fold, size_t i)
{
    enum { AHEAD = 8 };
    struct fold_frames frames;

    if (i + 2 * AHEAD >= fold->n_stacks)
        return;
    fold_prefetch_stack(fold, fold->rows[i + 2 * AHEAD].source);
    frames = fold_frames(fold, fold->rows[i + AHEAD].source);
    profile_prefetch_frames(frames.frames, frames.n);
}

/* How many names a stack has, with its roots. */
static inline uint32_t fold_depth(const struct fold *fold, const struct fold_stack *stack)
{
    return fold->n_roots + stack->n;
}

/* One of them, from the outermost on. */
static inline uint32_t fold_name(const struct fold *fold, const struct fold_stack *stack,
                                 uint32_t i)
{
    if (i < fold->n_roots)
        return fold->root_names[(size_t)stack->roots * fold->n_roots + i];
    return fold->frame_names[stack->frames[stack->n - 1 - (i - fold->n_roots)]];
}

/* Names all locations. The fold and the settings must stay where they are. */
void fold_start(struct fold *fold, const struct profile *profile,
                const struct output_settings *settings, bool raw);

/* Appends the frames of a sample, root first, and returns their number; they begin with
 * the roots of the settings. */
uint32_t fold_add_frames(struct fold *fold, size_t sample);

/* A sum of counts, which saturates. */
static inline uint64_t fold_add_up(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Folds all samples in which the value of the settings is not 0, with the settings'
 * roots. */
void fold_profile(struct fold *fold, const struct profile *profile,
                  const struct output_settings *settings);

/* Sorts the stacks of a fold by the bytes of their lines, and merges equal ones. */
void fold_sort(struct fold *fold);

#endif
