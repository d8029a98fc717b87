/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile as folded stacks: a line for each stack, root first, frames separated by `;`,
 * then a space and how often it was seen. Lines differ in their stacks, and are sorted by
 * their bytes, as sort in the C locale has it; unless samples are not to be merged.
 */
#include <stdlib.h>
#include <string.h>

#include <fxt/compiler.h>

#include "fold.h"
#include "fold_order.h"

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
    const struct fold_stack *last;
    /* By the number of a name; of size 0 if it is long. */
    struct piece *pieces;
};

static void make_pieces(struct writer *w)
{
    const struct strings *names = &w->fold->names;

    w->pieces = (struct piece *)must_allocate(names->n * sizeof(*w->pieces));
    for (uint32_t i = 0; i < names->n; i++) {
        struct string name = strings_get(names, i);
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
    const struct fold_stack *last = w->last;
    const uint32_t *a = stack->frames + stack->n - 1;
    const uint32_t *b;
    uint32_t n = 0;

    if (last == NULL || last->roots != stack->roots)
        return 0;
    b = last->frames + last->n - 1;
    /* Mostly the frames are the same ones, and not only their names. */
    for (; n + 1 < stack->n && n + 1 < last->n; n++, a--, b--) {
        if (*a != *b && names[*a] != names[*b])
            break;
    }
    return w->fold->n_roots + n;
}

/* Adds a name and a semicolon behind the `size` bytes of the line. Returns how many there
 * are then; the line's own size stays behind. */
static inline size_t add_name(struct writer *w, size_t size, uint32_t number)
{
    struct piece piece = w->pieces[number];
    struct string name;

    if (FXT_LIKELY(w->line.capacity - size >= sizeof(piece) && piece.size > 0)) {
        memcpy(w->line.data + size, &piece, sizeof(piece));
        return size + piece.size;
    }
    name = strings_get(&w->fold->names, number);
    w->line.size = size;
    text_add(&w->line, name.data, name.size);
    text_char(&w->line, ';');
    return w->line.size;
}

static void write_line(struct writer *w, const struct fold_stack *stack,
                       struct output *output)
{
    uint32_t common = count_common(w, stack);
    uint32_t depth = fold_depth(w->fold, stack);
    size_t size = common < w->n_starts ? w->starts[common] : 0;

    /* Names in common are followed by a semicolon in both lines. */
    w->starts = (size_t *)must_make_room(w->starts, common, depth, &w->start_capacity,
                                         sizeof(*w->starts));
    for (uint32_t i = common; i < depth; i++) {
        w->starts[i] = size;
        size = add_name(w, size, fold_name(w->fold, stack, i));
    }
    w->n_starts = depth;
    w->line.size = size;
    w->line.data[size - 1] = ' ';
    text_u64(&w->line, stack->count);
    text_char(&w->line, '\n');
    output_write(output, w->line.data, w->line.size);
    w->last = stack;
}

/* Frames are anywhere in memory. */
static void prefetch(const struct fold *fold, size_t stack)
{
    enum { AHEAD = 8 };

    if (stack + AHEAD < fold->n_stacks)
        profile_prefetch_frames(fold->stacks[stack + AHEAD].frames,
                                fold->stacks[stack + AHEAD].n);
}

static void write_folded(const struct profile *p, const struct output_settings *settings,
                         struct output *output)
{
    struct fold fold;
    struct writer w = {.fold = &fold};

    fold_profile(&fold, p, settings);
    if (!settings->no_merge)
        fold_sort(&fold);
    make_pieces(&w);
    for (size_t i = 0; i < fold.n_stacks && !output_failed(output); i++) {
        prefetch(&fold, i);
        write_line(&w, &fold.stacks[i], output);
    }
    fold_free(&fold);
    text_free(&w.line);
    free(w.starts);
    free(w.pieces);
}

const struct output_format output_folded = {
    .name = "folded",
    .suffix = ".folded",
    .is_binary = false,
    .is_compressed = false,
    .sorts = true,
    .write = write_folded,
};
