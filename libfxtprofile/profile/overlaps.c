/* SPDX-License-Identifier: BSD-2-Clause */
/* See overlaps.h. A sweep over the starts and limits in the order of the addresses, with
 * a heap of the mappings that are open: the last one of the input is on top. */
#include "overlaps.h"

#include <stdlib.h>

struct sweep {
    /* The heap, and how many are in it. */
    const struct mapping **open;
    size_t n_open;
    struct mapping *flat;
    size_t n_flat;
    size_t capacity;
};

static int order_mappings(const void *left, const void *right)
{
    const struct mapping *a = (const struct mapping *)left;
    const struct mapping *b = (const struct mapping *)right;

    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

static void swap(const struct mapping **a, const struct mapping **b)
{
    const struct mapping *c = *a;

    *a = *b;
    *b = c;
}

static void push(struct sweep *s, const struct mapping *mapping)
{
    size_t at = s->n_open++;

    s->open[at] = mapping;
    while (at > 0 && s->open[(at - 1) / 2]->sequence < s->open[at]->sequence) {
        swap(&s->open[(at - 1) / 2], &s->open[at]);
        at = (at - 1) / 2;
    }
}

static void pop(struct sweep *s)
{
    size_t at = 0;

    s->open[0] = s->open[--s->n_open];
    for (;;) {
        size_t child = 2 * at + 1;

        if (child + 1 < s->n_open &&
            s->open[child + 1]->sequence > s->open[child]->sequence)
            child++;
        if (child >= s->n_open || s->open[child]->sequence < s->open[at]->sequence)
            return;
        swap(&s->open[child], &s->open[at]);
        at = child;
    }
}

/* Whether two pieces are one mapping that was told in two, or cut in two for nothing. The
 * segments of a file stay apart: readers know a mapping by where its segment starts. */
static bool continues(const struct mapping *a, const struct mapping *b)
{
    return a->process == b->process && a->limit == b->start && a->module == b->module &&
           a->flags == b->flags && a->vaddr + (a->limit - a->start) == b->vaddr;
}

static void add_piece(struct sweep *s, const struct mapping *from, uint64_t start,
                      uint64_t limit)
{
    struct mapping piece = *from;

    piece.start = start;
    piece.limit = limit;
    piece.vaddr += start - from->start;
    if (s->n_flat > 0 && continues(&s->flat[s->n_flat - 1], &piece)) {
        s->flat[s->n_flat - 1].limit = limit;
        return;
    }
    s->flat =
        (struct mapping *)memory_grow(s->flat, s->n_flat, &s->capacity, sizeof(*s->flat));
    s->flat[s->n_flat++] = piece;
}

/* Adds what the open mappings show from `from` up to `to`, and drops those that end. */
static void advance(struct sweep *s, uint64_t from, uint64_t to)
{
    while (s->n_open > 0 && from < to) {
        const struct mapping *top = s->open[0];
        uint64_t limit = top->limit < to ? top->limit : to;

        if (limit > from) {
            add_piece(s, top, from, limit);
            from = limit;
        }
        if (top->limit <= from)
            pop(s);
    }
}

void overlaps_resolve(struct mapping *mappings, size_t n, struct mapping **flat,
                      size_t *n_flat)
{
    struct sweep s = {.n_open = 0};

    s.open = (const struct mapping **)memory_allocate(n * sizeof(*s.open));
    if (n > 0)
        qsort(mappings, n, sizeof(*mappings), order_mappings);
    for (size_t i = 0; i < n; i++) {
        bool last = i + 1 == n || mappings[i + 1].process != mappings[i].process;

        push(&s, &mappings[i]);
        advance(&s, mappings[i].start, last ? UINT64_MAX : mappings[i + 1].start);
        if (last)
            s.n_open = 0;
    }
    memory_release(s.open);
    *flat = s.flat;
    *n_flat = s.n_flat;
}
