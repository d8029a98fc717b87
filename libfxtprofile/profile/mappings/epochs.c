/* SPDX-License-Identifier: BSD-2-Clause */
/* See epochs.h. An epoch's number is its place among all, plus one. */
#include "epochs.h"

#include "common/base/memory.h"
#include "common/base/sort.h"

SORT_ORDER(order_epochs, struct epoch, BY(process) || BY(start_ns));

void epochs_add(struct epochs *e, const struct mapping_times *times)
{
    for (size_t i = 0; i < times->n_mappings; i++) {
        const struct mapping *mapping = &times->mappings[i];

        if (!mapping->is_shared)
            continue;
        MEMORY_ADD(e->all, e->n, e->capacity,
                   (struct epoch){mapping->process, mapping->time_ns});
    }
}

void epochs_finish(struct epochs *e)
{
    size_t kept = 0;

    SORT(e->all, e->n, order_epochs);
    for (size_t i = 0; i < e->n; i++) {
        if (kept == 0 || order_epochs(&e->all[kept - 1], &e->all[i]) != 0)
            e->all[kept++] = e->all[i];
    }
    e->n = kept;
}

uint32_t epochs_find(const struct epochs *e, uint64_t process, uint64_t time_ns)
{
    const struct epoch like = {process, time_ns};
    size_t low = 0;
    size_t high = e->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (order_epochs(&e->all[middle], &like) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && e->all[low - 1].process == process)
        return (uint32_t)low;
    if (low < e->n && e->all[low].process == process)
        return (uint32_t)low + 1;
    return 0;
}

void epochs_free(struct epochs *e)
{
    memory_release(e->all);
}
