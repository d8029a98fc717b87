/* SPDX-License-Identifier: BSD-2-Clause */
/* See path_index.h. */
#include "path_index.h"

#include "common/base/memory.h"
#include "common/base/sort.h"
#include "slowest.h"

/* A span that has begun; those of a thread are linked from the innermost outward, and
 * each stays until it would be the innermost after its end. */
struct open_span {
    uint64_t to_ns;
    uint32_t event;
    /* Its number and one; 0 for none. */
    uint32_t outer;
};

/* The last event of a flow, by its number. */
struct open_flow {
    uint64_t time_ns;
    uint32_t thread;
    bool is_open;
};

struct index_maker {
    struct path_index *index;
    const struct fxt_profile *profile;
    struct open_span *spans;
    size_t n_spans;
    size_t span_capacity;
    /* Of each thread: the innermost span, and until when its time has been taken. */
    uint32_t *innermost;
    uint64_t *now_ns;
    struct open_flow *flows;
    size_t n_flows;
    size_t flow_capacity;
};

/* ---- Spans ------------------------------------------------------------------------- */

static void add_part(struct index_maker *m, uint32_t thread, uint32_t event,
                     uint64_t to_ns)
{
    struct path_index *index = m->index;
    uint64_t from_ns = m->now_ns[thread];

    m->now_ns[thread] = to_ns;
    from_ns = from_ns > index->from_ns ? from_ns : index->from_ns;
    to_ns = to_ns < index->to_ns ? to_ns : index->to_ns;
    if (from_ns >= to_ns)
        return;
    MEMORY_ADD(index->parts, index->n_parts, index->part_capacity,
               (struct path_part){from_ns, to_ns, thread, event});
}

/* Takes the time of a thread's spans up to another time. */
static void advance(struct index_maker *m, uint32_t thread, uint64_t to_ns)
{
    while (m->innermost[thread] != 0) {
        const struct open_span *span = &m->spans[m->innermost[thread] - 1];

        if (span->to_ns > to_ns)
            break;
        if (span->to_ns > m->now_ns[thread])
            add_part(m, thread, span->event, span->to_ns);
        m->innermost[thread] = span->outer;
    }
    if (m->innermost[thread] != 0 && to_ns > m->now_ns[thread])
        add_part(m, thread, m->spans[m->innermost[thread] - 1].event, to_ns);
    m->now_ns[thread] = to_ns;
}

static void take_span(struct index_maker *m, uint32_t number,
                      const struct fxt_profile_event *event, uint32_t thread)
{
    if (event->end_ns <= m->index->from_ns || event->time_ns >= m->index->to_ns)
        return;
    advance(m, thread, event->time_ns);
    MEMORY_ADD(m->spans, m->n_spans, m->span_capacity,
               (struct open_span){event->end_ns, number, m->innermost[thread]});
    m->innermost[thread] = (uint32_t)m->n_spans;
}

/* ---- Scheduling -------------------------------------------------------------------- */

static void take_wait(struct index_maker *m, uint32_t number,
                      const struct fxt_profile_event *event, uint32_t thread)
{
    struct path_index *index = m->index;
    struct path_thread *known = &index->all[thread];
    struct fxt_profile_event_thread sleeper;
    struct path_wait wait = {.from_ns = event->time_ns,
                             .to_ns = event->end_ns,
                             .thread = thread,
                             .is_blocked = !fxt_string_is(event->name, "runnable")};

    if (known->known_from_ns > event->time_ns)
        known->known_from_ns = event->time_ns;
    if (known->known_to_ns < event->end_ns)
        known->known_to_ns = event->end_ns;
    if (event->end_ns <= index->from_ns || event->time_ns >= index->to_ns)
        return;
    fxt_profile_get_event_thread(m->profile, event->thread, &sleeper);
    wait.waker = span_threads_find(index->threads, sleeper.boot, sleeper.process,
                                   slowest_waker(m->profile, number));
    if (wait.waker == thread)
        wait.waker = FXT_PROFILE_NONE;
    MEMORY_ADD(index->waits, index->n_waits, index->wait_capacity, wait);
}

/* ---- Flows and operations ---------------------------------------------------------- */

/* What began before the span is none of its. */
static void add_arrival(struct index_maker *m, struct path_arrival arrival)
{
    struct path_index *index = m->index;

    if (arrival.thread == arrival.source || arrival.from_ns < index->from_ns ||
        arrival.to_ns > index->to_ns || arrival.to_ns < arrival.from_ns)
        return;
    MEMORY_ADD(index->arrivals, index->n_arrivals, index->arrival_capacity, arrival);
}

static struct open_flow *find_flow(struct index_maker *m, uint32_t number)
{
    while (m->n_flows <= number) {
        MEMORY_ADD(m->flows, m->n_flows, m->flow_capacity,
                   (struct open_flow){.is_open = false});
    }
    return &m->flows[number];
}

static void take_flow(struct index_maker *m, uint32_t number,
                      const struct fxt_profile_event *event)
{
    const uint32_t *threads = m->index->threads->first;
    struct open_flow *flow;

    if (event->time_ns < m->index->from_ns || event->time_ns > m->index->to_ns)
        return;
    flow = find_flow(m, event->flow);
    if (event->kind != FXT_PROFILE_EVENT_FLOW_BEGIN && flow->is_open)
        add_arrival(m, (struct path_arrival){.to_ns = event->time_ns,
                                             .from_ns = flow->time_ns,
                                             .thread = threads[event->thread],
                                             .source = threads[flow->thread],
                                             .event = number});
    flow->is_open = event->kind == FXT_PROFILE_EVENT_FLOW_BEGIN ||
                    (flow->is_open && event->kind == FXT_PROFILE_EVENT_FLOW_STEP);
    flow->time_ns = event->time_ns;
    flow->thread = event->thread;
}

static void take_async(struct index_maker *m, uint32_t number,
                       const struct fxt_profile_event *event)
{
    const uint32_t *threads = m->index->threads->first;

    if (event->is_unfinished)
        return;
    add_arrival(m, (struct path_arrival){.to_ns = event->end_ns,
                                         .from_ns = event->time_ns,
                                         .thread = threads[event->thread],
                                         .source = threads[event->end_thread],
                                         .event = number,
                                         .is_async = true});
}

static void take_event(struct index_maker *m, uint32_t number)
{
    struct fxt_profile_event event;
    uint32_t thread;

    fxt_profile_get_event(m->profile, number, &event);
    thread = m->index->threads->first[event.thread];
    switch (event.kind) {
    case FXT_PROFILE_EVENT_SPAN:
        take_span(m, number, &event, thread);
        break;
    case FXT_PROFILE_EVENT_OFF_CPU:
        take_wait(m, number, &event, thread);
        break;
    case FXT_PROFILE_EVENT_ASYNC:
        take_async(m, number, &event);
        break;
    case FXT_PROFILE_EVENT_FLOW_BEGIN:
    case FXT_PROFILE_EVENT_FLOW_STEP:
    case FXT_PROFILE_EVENT_FLOW_END:
        take_flow(m, number, &event);
        break;
    case FXT_PROFILE_EVENT_ASYNC_INSTANT:
    case FXT_PROFILE_EVENT_INSTANT:
    case FXT_PROFILE_EVENT_COUNTER:
    case FXT_PROFILE_EVENT_LOG:
    case FXT_PROFILE_EVENT_DROPS:
        break;
    }
}

/* ---- By threads -------------------------------------------------------------------- */

SORT_ORDER(order_parts, struct path_part, BY(thread) || BY(from_ns));

SORT_ORDER(order_waits, struct path_wait, BY(thread) || BY(from_ns) || BY(to_ns));

SORT_ORDER(order_arrivals, struct path_arrival, BY(thread) || BY(to_ns) || BY(event));

static void sort_all(struct path_index *index)
{
    SORT(index->parts, index->n_parts, order_parts);
    SORT(index->waits, index->n_waits, order_waits);
    SORT(index->arrivals, index->n_arrivals, order_arrivals);
}

static void note_blocked(struct path_index *index)
{
    for (size_t i = 0; i < index->n_waits; i++) {
        struct path_wait *wait = &index->waits[i];

        if (i > 0 && wait[-1].thread == wait->thread)
            wait->blocked_to_ns = wait[-1].blocked_to_ns;
        if (wait->is_blocked && wait->to_ns > wait->blocked_to_ns)
            wait->blocked_to_ns = wait->to_ns;
    }
}

static void find_firsts(struct path_index *index)
{
    for (size_t i = 0; i < index->n_parts; i++)
        index->all[index->parts[i].thread].n_parts++;
    for (size_t i = 0; i < index->n_waits; i++)
        index->all[index->waits[i].thread].n_waits++;
    for (size_t i = 0; i < index->n_arrivals; i++)
        index->all[index->arrivals[i].thread].n_arrivals++;
    for (size_t i = 1; i < index->threads->n; i++) {
        const struct path_thread *before = &index->all[i - 1];
        struct path_thread *thread = &index->all[i];

        thread->first_part = before->first_part + before->n_parts;
        thread->first_wait = before->first_wait + before->n_waits;
        thread->first_arrival = before->first_arrival + before->n_arrivals;
    }
}

void path_index_make(struct path_index *index, const struct span_threads *threads,
                     uint64_t from_ns, uint64_t to_ns)
{
    struct index_maker m = {.index = index, .profile = threads->profile};
    size_t n_events = fxt_profile_n_events(threads->profile);

    *index = (struct path_index){.threads = threads, .from_ns = from_ns, .to_ns = to_ns};
    index->all = memory_allocate(threads->n * sizeof(*index->all));
    m.innermost = memory_allocate(threads->n * sizeof(*m.innermost));
    m.now_ns = memory_allocate(threads->n * sizeof(*m.now_ns));
    for (size_t i = 0; i < threads->n; i++)
        index->all[i].known_from_ns = UINT64_MAX;
    for (size_t i = 0; i < n_events; i++)
        take_event(&m, (uint32_t)i);
    for (size_t i = 0; i < threads->n; i++)
        advance(&m, (uint32_t)i, UINT64_MAX);
    sort_all(index);
    note_blocked(index);
    find_firsts(index);
    memory_release(m.spans);
    memory_release(m.innermost);
    memory_release(m.now_ns);
    memory_release(m.flows);
}
