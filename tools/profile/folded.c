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

/* What is copied at once: most names are no longer. */
enum { PIECE = 16 };

/* The line before, and where in it each name begins. */
struct writer {
    struct text line;
    size_t *starts;
    size_t n_starts;
    size_t start_capacity;
    const struct fold_stack *last;
    /* The fold's names, behind each of which a piece more can be read. */
    struct string *names;
};

static void list_names(struct writer *w, struct fold *fold)
{
    const char *name = text_room(&fold->names.bytes, PIECE) - fold->names.bytes.size;

    w->names = (struct string *)must_allocate(fold->names.n * sizeof(*w->names));
    for (uint32_t i = 0; i < fold->names.n; i++) {
        w->names[i] = (struct string){name, strings_get(&fold->names, i).size};
        name += w->names[i].size;
    }
}

/* How many names a stack has in common with the one before it, and in its line. */
static uint32_t count_common(const struct writer *w, const struct fold_stack *stack)
{
    const uint32_t *names = stack->fold->frame_names;
    const struct fold_stack *last = w->last;
    uint32_t n = 0;

    if (last == NULL || last->roots != stack->roots)
        return 0;
    while (n + 1 < stack->n && n + 1 < last->n &&
           names[stack->frames[stack->n - 1 - n]] == names[last->frames[last->n - 1 - n]])
        n++;
    return stack->fold->n_roots + n;
}

static inline void add_name(struct text *line, struct string name)
{
    char *to = text_room(line, name.size + PIECE);

    memcpy(to, name.data, PIECE);
    if (FXT_UNLIKELY(name.size > PIECE))
        memcpy(to + PIECE, name.data + PIECE, name.size - PIECE);
    line->size += name.size;
}

static void write_line(struct writer *w, const struct fold_stack *stack,
                       struct output *output)
{
    uint32_t common = count_common(w, stack);
    uint32_t depth = fold_depth(stack);

    /* Names in common are followed by a semicolon in both lines. */
    w->line.size = common < w->n_starts ? w->starts[common] : 0;
    w->starts = (size_t *)must_make_room(w->starts, common, depth, &w->start_capacity,
                                         sizeof(*w->starts));
    for (uint32_t i = common; i < depth; i++) {
        w->starts[i] = w->line.size;
        add_name(&w->line, w->names[fold_name(stack, i)]);
        text_char(&w->line, ';');
    }
    w->n_starts = depth;
    w->line.data[w->line.size - 1] = ' ';
    text_u64(&w->line, stack->count);
    text_char(&w->line, '\n');
    output_write(output, w->line.data, w->line.size);
    w->last = stack;
}

/* Frames are anywhere in memory. */
static void prefetch(const struct fold *fold, size_t stack)
{
    enum { AHEAD = 8, LINE = 16 };

    if (stack + AHEAD >= fold->n_stacks)
        return;
    for (uint32_t i = 0; i < fold->stacks[stack + AHEAD].n; i += LINE)
        FXT_PREFETCH(&fold->stacks[stack + AHEAD].frames[i]);
}

static void write_folded(const struct profile *p, const struct output_settings *settings,
                         struct output *output)
{
    struct writer w = {.last = NULL};
    struct fold fold;

    fold_profile(&fold, p, settings);
    if (!settings->no_merge)
        fold_sort(&fold);
    list_names(&w, &fold);
    for (size_t i = 0; i < fold.n_stacks && !output_failed(output); i++) {
        prefetch(&fold, i);
        write_line(&w, &fold.stacks[i], output);
    }
    fold_free(&fold);
    text_free(&w.line);
    free(w.starts);
    free(w.names);
}

const struct output_format output_folded = {
    .name = "folded",
    .suffix = ".folded",
    .is_binary = false,
    .is_compressed = false,
    .sorts = true,
    .write = write_folded,
};
