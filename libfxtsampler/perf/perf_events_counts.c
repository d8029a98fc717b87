/* SPDX-License-Identifier: BSD-2-Clause */
/* What the events of a session have counted and lost, also those that are closed; see
 * perf_events.h. */
#include "perf_events.h"

#include "perf_call.h"

/* An event of a thread on one CPU is enabled while the thread is on others, too, or only
 * some of that time: it depends on the kernel. So this measures elapsed time only if the
 * event is a CPU's. */
static void add_times(const struct perf_events *events, const struct perf_event *event,
                      struct perf_times *times)
{
    bool is_clock = event->role == PERF_CLOCK;
    bool has_clock = events->has_clocks && !perf_event_is_of_cpu(event);
    struct perf_reading reading;

    if (event->role == PERF_SIDEBAND || event->role == PERF_RING ||
        event->role == PERF_TREE_SAMPLES || event->role == PERF_SWITCH_STACKS ||
        event->role == PERF_WAKEUPS || event->role == PERF_COUNTER ||
        (has_clock && !is_clock && events->attr.type == PERF_TYPE_SOFTWARE) ||
        !perf_call_read(event->file, &reading))
        return;
    if (is_clock || events->attr.type == PERF_TYPE_SOFTWARE)
        times->passed += reading.count;
    else if (perf_event_is_of_cpu(event))
        times->passed += reading.enabled_ns;
    if (!is_clock)
        times->counted += reading.running_ns;
}

struct perf_times perf_events_times(const struct perf_events *events)
{
    struct perf_times times = events->closed;

    for (size_t i = 0; i < events->n; i++)
        add_times(events, &events->all[i], &times);
    return times;
}

static void add_count(const struct perf_event *event, enum perf_event_role role,
                      struct perf_count *count)
{
    struct perf_reading reading;

    if (event->role != role || !perf_call_read(event->file, &reading))
        return;
    count->counted += reading.count;
    count->lost += reading.lost;
}

static struct perf_count count_role(const struct perf_events *events,
                                    enum perf_event_role role, uint32_t number,
                                    struct perf_count closed)
{
    for (size_t i = 0; i < events->n; i++) {
        if (events->all[i].number == number)
            add_count(&events->all[i], role, &closed);
    }
    return closed;
}

struct perf_count perf_events_count_before(const struct perf_events *events,
                                           uint32_t number)
{
    return count_role(events, PERF_SAMPLES, number, events->closed_counts[number]);
}

struct perf_count perf_events_count(const struct perf_events *events, uint32_t number)
{
    return events->has_tree_samples
               ? count_role(events, PERF_COUNTER, number, events->closed_counters[number])
               : perf_events_count_before(events, number);
}

struct perf_count perf_events_count_tree(const struct perf_events *events,
                                         uint32_t number)
{
    return count_role(events, PERF_TREE_SAMPLES, number, events->closed_trees[number]);
}

void perf_events_keep_sums(struct perf_events *events, const struct perf_event *event)
{
    add_times(events, event, &events->closed);
    add_count(event, PERF_SAMPLES, &events->closed_counts[event->number]);
    add_count(event, PERF_COUNTER, &events->closed_counters[event->number]);
    add_count(event, PERF_TREE_SAMPLES, &events->closed_trees[event->number]);
}

static uint64_t count_lost(const struct perf_event *event)
{
    struct perf_reading reading;

    return perf_call_read(event->file, &reading) ? reading.lost : 0;
}

uint64_t perf_events_lost(const struct perf_events *events, uint32_t cpu)
{
    uint64_t n = events->closed_lost[cpu];

    for (size_t i = 0; i < events->n; i++) {
        if (events->all[i].cpu == cpu)
            n += count_lost(&events->all[i]);
    }
    return n;
}

void perf_events_keep_counts(struct perf_events *events, const struct perf_event *event)
{
    perf_events_keep_sums(events, event);
    if (event->cpu != PERF_ANY_CPU)
        events->closed_lost[event->cpu] += count_lost(event);
}
