/* SPDX-License-Identifier: BSD-2-Clause */
/* What events have in common that belong together: of durations the thread, of
 * asynchronous operations the process, the id and the name, of flows the id, the name and
 * the category. All of these get numbers. */
#ifndef SPANS_SPAN_KEYS_H
#define SPANS_SPAN_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "common/base/string_table.h"
#include "common/base/table.h"
#include "common/base/text.h"
#include "span.h"

/* All zero is an empty one. */
struct span_thread_set {
    struct span_thread *threads;
    size_t n;
    size_t capacity;
    struct table table;
    /* What was found last, which is likely to come again. */
    uint32_t last;
};

uint32_t span_thread_set_put(struct span_thread_set *threads,
                             const struct span_thread *thread);

/* The number of a thread, which is added if it is new. Inline, so that the last one is
 * found before `*thread` is in memory. */
static inline uint32_t span_thread_set_find(struct span_thread_set *threads,
                                            const struct span_thread *thread)
{
    if (threads->n == 0 || !span_thread_is(&threads->threads[threads->last], thread))
        threads->last = span_thread_set_put(threads, thread);
    return threads->last;
}

void span_thread_set_free(struct span_thread_set *threads);

struct async_group {
    uint64_t process;
    uint64_t id;
    uint32_t stream;
    /* Its number in a string table, by span_add_name. */
    uint32_t name;
    /* Of flows only, in the same table. */
    uint32_t category;
};

/* A flow goes from one process, or stream, to others. Ids of flows are unique for a
 * category and a name: see TRACE_FLOW_BEGIN of Fuchsia's lib/trace/event.h. */
static inline struct async_group async_group_of_flow(uint64_t id, uint32_t name,
                                                     uint32_t category)
{
    return (struct async_group){.id = id, .name = name, .category = category};
}

/* All zero is an empty one. */
struct async_groups {
    struct async_group *groups;
    size_t n;
    size_t capacity;
    struct table table;
};

/* The number of a group, which is added if it is new. */
uint32_t async_groups_find(struct async_groups *groups, const struct async_group *group);
/* The same, or UINT32_MAX if it is not there. */
uint32_t async_groups_known(const struct async_groups *groups,
                            const struct async_group *group);
void async_groups_free(struct async_groups *groups);

/* Adds what to call an event: its name, or where it has none what else there is. `room`
 * is for its text. */
uint32_t span_add_name(struct string_table *names, struct text *room,
                       const struct fxt_event *event);

#endif
