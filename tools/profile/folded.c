/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile as folded stacks: a line for each stack, root first, frames separated by `;`,
 * then a space and how often it was seen. Lines differ in their stacks, and are sorted by
 * their bytes, as sort in the C locale has it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold.h"

/* ---- Order ------------------------------------------------------------------------- */

/* The text of a line from some frame on, piece by piece. */
struct cursor {
    const struct fold_stack *line;
    uint32_t next;
    /* A name was given out last, and what follows it is next. */
    bool after_name;
    char tail[24];
    struct string piece;
};

static struct string name_of(const struct fold_stack *line, uint32_t i)
{
    return strings_get(&line->fold->names, line->fold->frames[line->first + i]);
}

static size_t put_count(char *to, size_t size, uint64_t count)
{
    return (size_t)snprintf(to, size, " %llu", (unsigned long long)count);
}

/* Goes on to the next piece; false if there is none. */
static bool step(struct cursor *c)
{
    if (!c->after_name) {
        if (c->next == c->line->n)
            return false;
        c->piece = name_of(c->line, c->next++);
    } else if (c->next < c->line->n) {
        c->piece = (struct string){";", 1};
    } else {
        size_t size = put_count(c->tail, sizeof(c->tail), c->line->count);

        c->piece = (struct string){c->tail, size};
    }
    c->after_name = !c->after_name;
    return true;
}

static void drop(struct string *piece, size_t size)
{
    piece->data += size;
    piece->size -= size;
}

/* Lines with the same stack do not occur, so neither text is the start of the other. */
static int order_lines(const void *left, const void *right)
{
    struct cursor a = {.line = (const struct fold_stack *)left};
    struct cursor b = {.line = (const struct fold_stack *)right};
    const uint32_t *frames = a.line->fold->frames;
    int order = 0;

    while (a.next < a.line->n && a.next < b.line->n &&
           frames[a.line->first + a.next] == frames[b.line->first + a.next])
        a.next++;
    /* The last frame in common is looked at again, for what follows it. */
    a.next -= a.next > 0;
    b.next = a.next;
    while (order == 0 && (a.piece.size > 0 || step(&a)) &&
           (b.piece.size > 0 || step(&b))) {
        size_t size = a.piece.size < b.piece.size ? a.piece.size : b.piece.size;

        order = memcmp(a.piece.data, b.piece.data, size);
        drop(&a.piece, size);
        drop(&b.piece, size);
    }
    return order;
}

/* ---- The whole --------------------------------------------------------------------- */

static void write_line(struct text *text, const struct fold_stack *line,
                       struct output *output)
{
    char tail[24];

    for (uint32_t i = 0; i < line->n; i++) {
        struct string name = name_of(line, i);

        if (i > 0)
            text_char(text, ';');
        text_add(text, name.data, name.size);
    }
    text_add(text, tail, put_count(tail, sizeof(tail), line->count));
    text_char(text, '\n');
    output_text(output, text);
}

static void write_folded(const struct profile *p, const struct output_settings *settings,
                         struct output *output)
{
    struct text text = {NULL, 0, 0};
    struct fold fold;

    fold_profile(&fold, p, settings);
    if (fold.n_stacks > 0)
        qsort(fold.stacks, fold.n_stacks, sizeof(*fold.stacks), order_lines);
    for (size_t i = 0; i < fold.n_stacks && !output_failed(output); i++)
        write_line(&text, &fold.stacks[i], output);
    fold_free(&fold);
    text_free(&text);
}

const struct output_format output_folded = {
    .name = "folded",
    .suffix = ".folded",
    .is_binary = false,
    .is_compressed = false,
    .write = write_folded,
};
