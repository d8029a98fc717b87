/* SPDX-License-Identifier: BSD-2-Clause */
/* See mapping.h. A sweep over the starts and limits in the order of the addresses, with
 * a queue of the mappings that are open: the last one of the input is first. */
#include "mapping.h"

#include "common/base/memory.h"
#include "common/base/priority_queue.h"
#include "common/base/sort.h"

struct sweep {
    const struct mapping *mappings;
    /* By sequence, the highest first. */
    struct priority_queue open;
    struct mapping *flat;
    size_t n_flat;
    size_t capacity;
};

SORT_ORDER(order_mappings, struct mapping, BY(process) || BY(start) || BY(sequence));

/* Whether two adjacent parts are of one mapping, recorded in two or cut in two. Segments
 * of a file are not joined: readers identify a mapping by the start of its segment. */
static bool are_adjacent(const struct mapping *a, const struct mapping *b)
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
    if (s->n_flat > 0 && are_adjacent(&s->flat[s->n_flat - 1], &piece)) {
        s->flat[s->n_flat - 1].limit = limit;
        return;
    }
    MEMORY_ADD(s->flat, s->n_flat, s->capacity, piece);
}

/* Adds what the open mappings show from `from` up to `to`, and drops those that end. */
static void add_until(struct sweep *s, uint64_t from, uint64_t to)
{
    while (s->open.n > 0 && from < to) {
        const struct mapping *top = &s->mappings[s->open.entries[0].item];
        uint64_t limit = top->limit < to ? top->limit : to;

        if (limit > from) {
            add_piece(s, top, from, limit);
            from = limit;
        }
        if (top->limit <= from)
            priority_queue_pop(&s->open);
    }
}

void overlaps_resolve(struct mapping *mappings, size_t n, struct mapping **flat,
                      size_t *n_flat)
{
    struct sweep s = {.mappings = mappings};

    SORT(mappings, n, order_mappings);
    for (size_t i = 0; i < n; i++) {
        bool last = i + 1 == n || mappings[i + 1].process != mappings[i].process;

        priority_queue_push(&s.open, UINT64_MAX - mappings[i].sequence, i);
        add_until(&s, mappings[i].start, last ? UINT64_MAX : mappings[i + 1].start);
        if (last)
            s.open.n = 0;
    }
    priority_queue_free(&s.open);
    *flat = s.flat;
    *n_flat = s.n_flat;
}
