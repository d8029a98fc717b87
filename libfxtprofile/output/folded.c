/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile as folded stacks: a line for each stack, root first, frames separated by `;`,
 * then a space and its count. Each stack has one line, and lines are sorted by their
 * bytes, as sort does in the C locale; unless samples are not to be merged.
 */
#include <string.h>

#include <fxt/compiler.h>

#include "fold.h"

/* A name and a semicolon, if they are not long: most names are copied at once. */
struct piece {
    char text[31];
    unsigned char size;
};

/* The line before, and where in it each name begins. */
struct writer {
    const struct fold *fold;
    struct text line;
    size_t *starts;
    size_t n_starts;
    size_t start_capacity;
    struct fold_stack last;
    /* By the number of a name; the size is 0 if it is long. */
    struct piece *pieces;
};

static void make_pieces(struct writer *w)
{
    const struct string_table *names = &w->fold->names;

    w->pieces = (struct piece *)memory_allocate(names->n * sizeof(*w->pieces));
    for (uint32_t i = 0; i < names->n; i++) {
        struct string name = string_table_get(names, i);
        struct piece *piece = &w->pieces[i];

        if (name.size >= sizeof(piece->text))
            continue;
        memcpy(piece->text, name.data, name.size);
        piece->text[name.size] = ';';
        piece->size = (unsigned char)(name.size + 1);
    }
}

/* How many names a stack has in common with the one before it, and in its line. */
static uint32_t count_common(const struct writer *w, const struct fold_stack *stack)
{
    const uint32_t *names = w->fold->frame_names;
    const struct fold_stack *last = &w->last;
    const uint32_t *a = stack->frames + stack->n - 1;
    const uint32_t *b;
    uint32_t n = 0;

    if (last->n == 0 || last->roots != stack->roots)
        return 0;
    b = last->frames + last->n - 1;
    /* Mostly the frames are the same ones, and not only their names. */
    for (; n + 1 < stack->n && n + 1 < last->n; n++, a--, b--) {
        if (*a != *b && names[*a] != names[*b])
            break;
    }
    return w->fold->n_roots + n;
}

/* Adds any name, and a semicolon. */
static void add_name(struct writer *w, uint32_t number)
{
    struct string name = string_table_get(&w->fold->names, number);

    text_add(&w->line, name.data, name.size);
    text_char(&w->line, ';');
}

/* Adds the names of frames from one on towards the leaf, as long as they are short, each
 * with a semicolon, and stores their offsets in `starts`. Returns their number. */
static uint32_t add_pieces(struct writer *w, const uint32_t *frame, uint32_t n,
                           size_t *starts)
{
    const uint32_t *names = w->fold->frame_names;
    const struct piece *pieces = w->pieces;
    char *to = text_room(&w->line, n * sizeof(*pieces));
    size_t size = w->line.size;
    uint32_t i = 0;

    for (; i < n; i++) {
        struct piece piece = pieces[names[*(frame - i)]];

        if (FXT_UNLIKELY(piece.size == 0))
            break;
        starts[i] = size;
        memcpy(to, &piece, sizeof(piece));
        to += piece.size;
        size += piece.size;
    }
    w->line.size = size;
    return i;
}

/* Adds the names of a stack from one on. */
static void add_names(struct writer *w, const struct fold_stack *stack, uint32_t from)
{
    uint32_t n_roots = w->fold->n_roots;
    uint32_t depth = fold_depth(w->fold, stack);

    while (from < depth) {
        if (from >= n_roots)
            from += add_pieces(w, stack->frames + stack->n - 1 - (from - n_roots),
                               depth - from, w->starts + from);
        if (from < depth) {
            w->starts[from] = w->line.size;
            add_name(w, fold_name(w->fold, stack, from++));
        }
    }
}

static void write_line(struct writer *w, const struct fold_stack *stack,
                       struct output *output)
{
    uint32_t common = count_common(w, stack);
    uint32_t depth = fold_depth(w->fold, stack);

    /* Names in common are followed by a semicolon in both lines. */
    w->starts = (size_t *)memory_make_room(w->starts, common, depth, &w->start_capacity,
                                           sizeof(*w->starts));
    w->line.size = common < w->n_starts ? w->starts[common] : 0;
    add_names(w, stack, common);
    w->n_starts = depth;
    w->line.data[w->line.size - 1] = ' ';
    text_u64(&w->line, stack->count);
    text_char(&w->line, '\n');
    output_write(output, w->line.data, w->line.size);
    w->last = *stack;
}

static void write_folded(const struct profile *p, const struct output_settings *settings,
                         struct output *output)
{
    struct fold fold;
    struct writer w = {.fold = &fold};

    fold_profile(&fold, p, settings);
    if (!settings->wanted.no_merge)
        fold_sort(&fold);
    make_pieces(&w);
    for (size_t i = 0; i < fold.n_stacks && !output_failed(output); i++) {
        struct fold_stack stack = fold_stack_at(&fold, i);

        fold_prefetch(&fold, i);
        write_line(&w, &stack, output);
    }
}

const struct output_format output_folded = {
    .description = "a line for each stack: root;caller;leaf and a number",
    .uses = FXT_PROFILE_USE_SPANS | FXT_PROFILE_USE_ANNOTATE | FXT_PROFILE_USE_LINES |
            FXT_PROFILE_USE_VALUE,
    .sorts = true,
    .write = write_folded,
};
