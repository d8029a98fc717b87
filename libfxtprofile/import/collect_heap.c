/* SPDX-License-Identifier: BSD-2-Clause */
/* See collect_heap.h. */
#include "collect_heap.h"

bool collect_heap_take(struct collect *c, const struct fxt_record *record)
{
    if (c->heap == NULL || !heap_is_piece(record))
        return false;
    heap_take(c->heap, record);
    return true;
}

void collect_heap_event(struct collect *c, const struct fxt_record *record)
{
    if (c->heap != NULL)
        heap_take_event(c->heap, record);
}

void collect_heap_finish(struct collect *c)
{
    if (c->heap == NULL)
        return;
    c->tally.heap = c->heap->tally;
    if (!heap_has_any(c->heap))
        return;
    if (c->spans != NULL || c->tally.n_samples > 0)
        c->tally.n_only_heap = c->heap->tally.n_blocks;
    else
        c->tally.n_samples = heap_finish(c->heap, c->builder);
}
