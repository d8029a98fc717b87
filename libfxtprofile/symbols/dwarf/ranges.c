/* SPDX-License-Identifier: BSD-2-Clause */
/* See ranges.h. */
#include "ranges.h"

#include <stdlib.h>

#include "base/text.h"

void ranges_add(struct ranges *r, uint64_t start, uint64_t limit, uint32_t item)
{
    if (start >= limit)
        return;
    r->items =
        (struct range *)memory_grow(r->items, r->n, &r->capacity, sizeof(*r->items));
    r->items[r->n++] = (struct range){start, limit, item};
}

static int order_ranges(const void *left, const void *right)
{
    const struct range *a = (const struct range *)left;
    const struct range *b = (const struct range *)right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->item != b->item)
        return a->item < b->item ? -1 : 1;
    return (a->limit > b->limit) - (a->limit < b->limit);
}

/* A sweep over the addresses, with a stack of open ranges: each starts at or after the
 * start of the one before it. */
struct range_walk {
    struct ranges flat;
    struct range *open;
    size_t n_open;
    uint64_t at;
};

/* Adds the parts of open ranges up to `to`, and closes those that end before it. */
static void walk_to(struct range_walk *w, uint64_t to)
{
    for (; w->n_open > 0; w->n_open--) {
        const struct range *top = &w->open[w->n_open - 1];
        uint64_t limit = top->limit < to ? top->limit : to;

        if (limit > w->at) {
            ranges_add(&w->flat, w->at, limit, top->item);
            w->at = limit;
        }
        if (top->limit > to)
            break;
    }
    w->at = to;
}

void ranges_finish(struct ranges *r)
{
    struct range_walk w = {.n_open = 0};

    if (r->n == 0)
        return;
    qsort(r->items, r->n, sizeof(*r->items), order_ranges);
    w.open = (struct range *)memory_allocate(r->n * sizeof(*w.open));
    for (size_t i = 0; i < r->n; i++) {
        walk_to(&w, r->items[i].start);
        w.open[w.n_open++] = r->items[i];
    }
    walk_to(&w, UINT64_MAX);
    memory_release(w.open);
    memory_release(r->items);
    *r = w.flat;
}

uint32_t ranges_find(const struct ranges *r, uint64_t address)
{
    size_t low = 0;
    size_t high = r->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (r->items[middle].start > address)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == 0 || r->items[low - 1].limit <= address)
        return RANGES_NONE;
    return r->items[low - 1].item;
}

void ranges_free(struct ranges *r)
{
    memory_release(r->items);
    *r = (struct ranges){NULL, 0, 0};
}
