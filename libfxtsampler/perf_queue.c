/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_queue.h. */
#include "perf_queue.h"

#include <stdlib.h>
#include <string.h>

static bool make_queue_room(struct perf_queue *queue)
{
    size_t capacity = queue->capacity > 0 ? 2 * queue->capacity : 64;
    struct queued *all;

    if (queue->n < queue->capacity)
        return true;
    all = realloc(queue->all, capacity * sizeof(*all));
    if (all == NULL)
        return false;
    queue->all = all;
    queue->capacity = capacity;
    return true;
}

bool perf_queue_add(struct perf_queue *queue, const struct perf_event_header *record)
{
    struct queued queued = {.sequence = queue->sequence++};

    /* The time comes last in each. */
    if (record->size < sizeof(*record) + sizeof(queued.time))
        return true;
    memcpy(&queued.time,
           (const unsigned char *)record + record->size - sizeof(queued.time),
           sizeof(queued.time));
    queued.record = malloc(record->size);
    if (queued.record == NULL || !make_queue_room(queue)) {
        free(queued.record);
        return false;
    }
    memcpy(queued.record, record, record->size);
    queue->all[queue->n++] = queued;
    return true;
}

static int compare_queued(const void *a, const void *b)
{
    const struct queued *x = a;
    const struct queued *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

void perf_queue_hand_out(struct perf_queue *queue, const struct perf_event_attr *attr,
                         uint64_t before, fxt_sampler_event_fn *on_event, void *context)
{
    size_t n = 0;

    if (queue->n == 0)
        return;
    qsort(queue->all, queue->n, sizeof(*queue->all), compare_queued);
    for (; n < queue->n && queue->all[n].time < before; n++) {
        struct fxt_sampler_event event;

        if (perf_read_event(queue->all[n].record, attr, &event)) {
            event.time_ns = queue->all[n].time;
            on_event(context, &event);
        }
        free(queue->all[n].record);
    }
    queue->n -= n;
    memmove(queue->all, queue->all + n, queue->n * sizeof(*queue->all));
}

void perf_queue_free(struct perf_queue *queue)
{
    for (size_t i = 0; i < queue->n; i++)
        free(queue->all[i].record);
    free(queue->all);
    *queue = (struct perf_queue){NULL, 0, 0, 0};
}
