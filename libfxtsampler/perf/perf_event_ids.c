/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_event_ids.h. */
#include "perf_event_ids.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "common/base/search.h"
#include "libfxtsampler/grow.h"

/* The kernel counts ids up. */
bool perf_event_ids_add(struct perf_event_ids *ids, int file, struct perf_event_id id)
{
    if (id.source == PERF_OF_TASK && id.role == PERF_SAMPLES && id.number == 0)
        return true;
    if (!grow_array(&ids->all, ids->n, &ids->capacity, sizeof(*ids->all)))
        return false;
    if (ioctl(file, PERF_EVENT_IOC_ID, &id.id) != 0)
        return false;
    ids->all[ids->n++] = id;
    return true;
}

struct perf_event_id perf_event_ids_find(const struct perf_event_ids *ids, uint64_t id)
{
    size_t i = search_below(ids->all, ids->n, sizeof(*ids->all),
                            offsetof(struct perf_event_id, id), id);

    return i < ids->n && ids->all[i].id == id ? ids->all[i]
                                              : (struct perf_event_id){.id = id};
}

void perf_event_ids_free(struct perf_event_ids *ids)
{
    free(ids->all);
}
