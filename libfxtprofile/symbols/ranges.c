/* SPDX-License-Identifier: BSD-2-Clause */
/* See ranges.h. */
#include "ranges.h"

#include "common/base/search.h"
#include "common/base/sort.h"
#include "common/base/text.h"

void ranges_add(struct ranges *r, uint64_t start, uint64_t limit, uint32_t item)
{
    if (start >= limit)
        return;
    r->items =
        (struct range *)memory_grow(r->items, r->n, &r->capacity, sizeof(*r->items));
    r->items[r->n++] = (struct range){start, limit, item};
}

SORT_ORDER(order_ranges, struct range, BY(start) || BY(item) || BY(limit));

void range_sweep_to(struct range_sweep *s, uint64_t to)
{
    for (; s->open.n > 0; s->open.n--) {
        const struct range *top = &s->open.items[s->open.n - 1];
        uint64_t limit = top->limit < to ? top->limit : to;

        if (limit > s->at) {
            ranges_add(&s->flat, s->at, limit, top->item);
            s->at = limit;
        }
        if (top->limit > to)
            break;
    }
    s->at = to;
}

struct ranges range_sweep_end(struct range_sweep *s)
{
    struct ranges flat;

    range_sweep_to(s, UINT64_MAX);
    flat = s->flat;
    ranges_free(&s->open);
    s->flat = (struct ranges){NULL, 0, 0};
    return flat;
}

void ranges_finish(struct ranges *r)
{
    struct range_sweep sweep = {.at = 0};

    if (r->n == 0)
        return;
    SORT(r->items, r->n, order_ranges);
    for (size_t i = 0; i < r->n; i++) {
        const struct range *next = &r->items[i];

        range_sweep_to(&sweep, next->start);
        ranges_add(&sweep.open, next->start, next->limit, next->item);
    }
    ranges_free(r);
    *r = range_sweep_end(&sweep);
}

uint32_t ranges_find(const struct ranges *r, uint64_t address)
{
    size_t i = search_up_to(r->items, r->n, sizeof(*r->items), 0, address);

    if (i == 0 || r->items[i - 1].limit <= address)
        return RANGES_NONE;
    return r->items[i - 1].item;
}

void ranges_free(struct ranges *r)
{
    memory_release(r->items);
    *r = (struct ranges){NULL, 0, 0};
}
