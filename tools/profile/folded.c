/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile as folded stacks: a line for each stack, root first, frames separated by `;`,
 * then a space and how often it was seen. Lines differ in their stacks, and are sorted by
 * their bytes, as sort in the C locale has it; unless samples are not to be merged.
 */
#include <stdlib.h>

#include "fold.h"
#include "fold_order.h"

/* The line before, and where in it each frame begins. */
struct writer {
    struct text line;
    size_t *starts;
    size_t n_starts;
    size_t start_capacity;
    const struct fold_stack *last;
};

/* How many frames a stack has in common with the one before it, and in its line. */
static uint32_t count_common(const struct writer *w, const struct fold_stack *stack)
{
    const uint32_t *frames = stack->fold->frames;
    uint32_t n = 0;

    if (w->last == NULL)
        return 0;
    while (n + 1 < stack->n && n + 1 < w->last->n &&
           frames[stack->first + n] == frames[w->last->first + n])
        n++;
    return n;
}

static void write_line(struct writer *w, const struct fold_stack *stack,
                       struct output *output)
{
    uint32_t common = count_common(w, stack);

    /* Frames in common are followed by a semicolon in both lines. */
    w->line.size = common < w->n_starts ? w->starts[common] : 0;
    w->n_starts = common;
    for (uint32_t i = common; i < stack->n; i++) {
        struct string name =
            strings_get(&stack->fold->names, stack->fold->frames[stack->first + i]);

        w->starts = (size_t *)must_grow(w->starts, w->n_starts, &w->start_capacity,
                                        sizeof(*w->starts));
        w->starts[w->n_starts++] = w->line.size;
        text_add(&w->line, name.data, name.size);
        text_char(&w->line, i + 1 < stack->n ? ';' : ' ');
    }
    text_u64(&w->line, stack->count);
    text_char(&w->line, '\n');
    output_write(output, w->line.data, w->line.size);
    w->last = stack;
}

static void write_folded(const struct profile *p, const struct output_settings *settings,
                         struct output *output)
{
    struct writer w = {.last = NULL};
    struct fold fold;

    fold_profile(&fold, p, settings);
    if (!settings->no_merge)
        fold_sort(&fold);
    for (size_t i = 0; i < fold.n_stacks && !output_failed(output); i++)
        write_line(&w, &fold.stacks[i], output);
    fold_free(&fold);
    text_free(&w.line);
    free(w.starts);
}

const struct output_format output_folded = {
    .name = "folded",
    .suffix = ".folded",
    .is_binary = false,
    .is_compressed = false,
    .sorts = true,
    .write = write_folded,
};
