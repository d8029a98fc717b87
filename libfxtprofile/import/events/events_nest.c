/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See events.h. The open spans of a thread are a list from the innermost outward, by
 * their parents. One that ends before the spans in it stays there until it would be the
 * innermost: so each is taken out once, however they overlap.
 */
#include "events.h"

#include "common/base/memory.h"
#include "common/spans/span_keys.h"

/* A thread: its innermost span, and until when time has been counted. */
struct nest_thread {
    uint64_t now_ns;
    uint32_t innermost;
};

/* Counts the time of a thread, and takes out the spans that have ended. */
static void advance_thread(struct profile_events *list, struct nest_thread *thread,
                           uint64_t time_ns)
{
    while (thread->innermost != PROFILE_NO_EVENT) {
        struct profile_nesting *nesting = &list->nesting[thread->innermost];
        uint64_t end_ns = list->events[thread->innermost].end_ns;
        uint64_t to_ns = end_ns < time_ns ? end_ns : time_ns;

        if (to_ns > thread->now_ns) {
            nesting->self_ns += to_ns - thread->now_ns;
            thread->now_ns = to_ns;
        }
        if (end_ns > time_ns)
            return;
        thread->innermost = nesting->parent;
    }
}

static void open_span(struct profile_events *list, struct nest_thread *thread,
                      uint32_t span)
{
    struct profile_nesting *nesting = &list->nesting[span];
    uint64_t time_ns = list->events[span].time_ns;

    advance_thread(list, thread, time_ns);
    thread->now_ns = time_ns;
    nesting->parent = thread->innermost;
    if (thread->innermost != PROFILE_NO_EVENT)
        nesting->depth = list->nesting[thread->innermost].depth + 1;
    thread->innermost = span;
}

static uint32_t find_end_thread(const struct profile_event *event,
                                const uint32_t *end_threads)
{
    if (end_threads == NULL || end_threads[event->order] == PROFILE_NO_EVENT)
        return event->thread;
    return end_threads[event->order];
}

static uint32_t find_flow(struct async_groups *flows, const struct profile_event *event)
{
    struct async_group flow =
        async_group_of_flow(event->id, event->name, event->category);

    return async_groups_find(flows, &flow);
}

void events_nest(struct profile_events *list, const uint32_t *end_threads)
{
    struct async_groups flows = {.n = 0};
    struct nest_thread *threads = memory_allocate(list->n_threads * sizeof(*threads));

    list->nesting = memory_allocate(list->n * sizeof(*list->nesting));
    for (size_t i = 0; i < list->n_threads; i++)
        threads[i].innermost = PROFILE_NO_EVENT;
    for (size_t i = 0; i < list->n; i++) {
        list->nesting[i].parent = PROFILE_NO_EVENT;
        if (list->events[i].kind == PROFILE_EVENT_SPAN)
            open_span(list, &threads[list->events[i].thread], (uint32_t)i);
        else if (list->events[i].kind == PROFILE_EVENT_ASYNC)
            list->nesting[i].end_thread = find_end_thread(&list->events[i], end_threads);
        else if (profile_event_is_of_flow(&list->events[i]))
            list->nesting[i].flow = find_flow(&flows, &list->events[i]);
    }
    for (size_t i = 0; i < list->n_threads; i++)
        advance_thread(list, &threads[i], UINT64_MAX);
    async_groups_free(&flows);
    memory_release(threads);
}
