/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_events.h. */
#include "perf_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "perf_attr.h"
#include "perf_call.h"
#include "perf_sample.h"
#include "libfxtsampler/grow.h"
#include "libfxtsampler/regions.h"

/* Busy CPUs switch so often in a second. */
enum { SWITCHES_A_SECOND = 50000, SWITCH_BYTES = 128 };

static uint64_t switch_rate(const struct perf_events *events)
{
    uint64_t size = events->has_switches ? SWITCH_BYTES : 0;

    if (events->has_switch_stacks)
        size += perf_attr_of_switches(&events->attr).sample_stack_user;
    return size * SWITCHES_A_SECOND;
}

bool perf_events_init(struct perf_events *events, const struct perf_event_attr *attr,
                      const struct fxt_sampler *sampler)
{
    const struct sources *sources = &sampler->sources;
    uint64_t rate = perf_sample_rate(attr->sample_stack_user, sampler->config.period_ns);

    events->attr = *attr;
    events->n_samplers = sources->n > 0 ? sources->n : 1;
    for (uint32_t i = 0; i < events->n_samplers; i++)
        events->samplers[i] = perf_attr_of_source(attr, sampler, i);
    events->ring_bytes = perf_ring_size(rate * events->n_samplers + switch_rate(events));
    events->rings = calloc(regions.n, sizeof(*events->rings));
    events->ring_files = calloc(regions.n, sizeof(*events->ring_files));
    events->closed_lost = calloc(regions.n, sizeof(*events->closed_lost));
    return events->rings != NULL && events->ring_files != NULL &&
           events->closed_lost != NULL;
}

void perf_events_free(struct perf_events *events)
{
    perf_events_close(events, 0);
    free(events->all);
    free(events->rings);
    free(events->ring_files);
    free(events->closed_lost);
    perf_event_ids_free(&events->ids);
}

void perf_events_forget(struct perf_events *events)
{
    for (uint32_t cpu = 0; cpu < regions.n; cpu++)
        perf_ring_forget(&events->rings[cpu]);
}

/* ---- Adding and closing ------------------------------------------------------------ */

static bool keep(struct perf_events *events, const struct perf_event *event)
{
    if (!grow_array(&events->all, events->n, &events->capacity, sizeof(*events->all)))
        return false;
    events->all[events->n++] = *event;
    return true;
}

/* Gives the CPU a ring if it has none, else redirects the event's records to the one that
 * it has. */
static bool lead_to_ring(struct perf_events *events, const struct perf_event *event)
{
    struct perf_ring *ring = &events->rings[event->cpu];

    if (ring->page != NULL)
        return ioctl(event->file, PERF_EVENT_IOC_SET_OUTPUT,
                     events->ring_files[event->cpu]) == 0;
    if (!perf_ring_map(ring, event->file, events->ring_bytes))
        return false;
    events->ring_files[event->cpu] = event->file;
    return true;
}

/* An event that a ring belongs to stays open as long as the ring. */
static bool has_ring(const struct perf_events *events, const struct perf_event *event)
{
    return event->cpu != PERF_ANY_CPU && events->rings[event->cpu].page != NULL &&
           events->ring_files[event->cpu] == event->file;
}

static void close_event(struct perf_events *events, const struct perf_event *event)
{
    if (has_ring(events, event))
        perf_ring_unmap(&events->rings[event->cpu]);
    close(event->file);
}

static enum perf_source source_of(const struct perf_event *event)
{
    if (event->target.kind == FXT_SAMPLER_CGROUP)
        return PERF_OF_CGROUP;
    if (!perf_event_is_of_cpu(event))
        return PERF_OF_TASK;
    return event->role == PERF_TREE_SAMPLES ? PERF_OF_TREE : PERF_OF_SYSTEM;
}

bool perf_events_add(struct perf_events *events, const struct perf_event *event)
{
    bool has_records = event->cpu != PERF_ANY_CPU;
    struct perf_event_id id = {
        .source = source_of(event), .role = event->role, .number = event->number};
    int error;

    if ((!has_records || (lead_to_ring(events, event) &&
                          perf_event_ids_add(&events->ids, event->file, id))) &&
        keep(events, event))
        return true;
    error = errno;
    close_event(events, event);
    errno = error;
    return false;
}

void perf_events_close(struct perf_events *events, size_t n)
{
    while (events->n > n)
        close_event(events, &events->all[--events->n]);
}

/* ---- Starting and stopping --------------------------------------------------------- */

static bool is_retired(const struct perf_event *event)
{
    return event->target.id == 0 && event->target.kind != FXT_SAMPLER_SYSTEM;
}

static void request_all(const struct perf_events *events, unsigned long request)
{
    for (size_t i = 0; i < events->n; i++) {
        if (!is_retired(&events->all[i]))
            ioctl(events->all[i].file, request, 0);
    }
}

void perf_events_start(const struct perf_events *events)
{
    request_all(events, PERF_EVENT_IOC_ENABLE);
}

void perf_events_stop(const struct perf_events *events)
{
    request_all(events, PERF_EVENT_IOC_DISABLE);
}

/* ---- Retiring ---------------------------------------------------------------------- */

/* Closes an event, which drop_closed then removes. */
static void close_counted(struct perf_events *events, struct perf_event *event)
{
    perf_events_keep_counts(events, event);
    close(event->file);
    event->file = -1;
}

static void drop_closed(struct perf_events *events)
{
    size_t n = 0;

    for (size_t i = 0; i < events->n; i++) {
        if (events->all[i].file >= 0)
            events->all[n++] = events->all[i];
    }
    events->n = n;
}

/* One that a ring belongs to stays open. */
static void retire(struct perf_events *events, struct perf_event *event)
{
    ioctl(event->file, PERF_EVENT_IOC_DISABLE, 0);
    event->target.id = 0;
    if (!has_ring(events, event))
        close_counted(events, event);
}

static bool is_of(const struct perf_event *event, struct perf_target target)
{
    return event->target.kind == target.kind && event->target.id == target.id;
}

void perf_events_retire(struct perf_events *events, struct perf_target target)
{
    for (size_t i = 0; i < events->n; i++) {
        if (is_of(&events->all[i], target))
            retire(events, &events->all[i]);
    }
    drop_closed(events);
}

static bool is_task_sampler(const struct perf_event *event)
{
    return event->role == PERF_SAMPLES && !perf_event_is_of_cpu(event) &&
           event->target.id != 0;
}

/* All are disabled first, which takes no time in which both sample. */
void perf_events_replace_samplers(struct perf_events *events, size_t first,
                                  bool is_running)
{
    for (size_t i = 0; i < first; i++) {
        if (is_task_sampler(&events->all[i]))
            ioctl(events->all[i].file, PERF_EVENT_IOC_DISABLE, 0);
    }
    for (size_t i = first; is_running && i < events->n; i++)
        ioctl(events->all[i].file, PERF_EVENT_IOC_ENABLE, 0);
    for (size_t i = 0; i < first; i++) {
        if (is_task_sampler(&events->all[i]))
            retire(events, &events->all[i]);
    }
    drop_closed(events);
}

/* ---- CPUs that went offline -------------------------------------------------------- */

static bool is_removed_with_cpu(const struct perf_event *event)
{
    return perf_event_is_of_cpu(event) && event->role != PERF_RING;
}

static bool stands_still(struct perf_event *event)
{
    struct perf_reading reading;
    bool is_still;

    if (!perf_call_read(event->file, &reading))
        return false;
    is_still = event->enabled_ns != 0 && reading.enabled_ns == event->enabled_ns;
    event->enabled_ns = reading.enabled_ns;
    return is_still;
}

/* One event of each CPU is enough: reading it interrupts the CPU. */
uint32_t perf_events_find_removed(struct perf_events *events, const bool *online,
                                  bool *removed)
{
    uint32_t n = 0;

    for (size_t i = 0; i < events->n; i++) {
        struct perf_event *event = &events->all[i];

        if (event->role != PERF_SIDEBAND && event->role != PERF_WAKEUPS)
            continue;
        if (online[event->cpu] && !removed[event->cpu])
            n += removed[event->cpu] = stands_still(event);
    }
    return n;
}

/* One that a ring belongs to is left with that. */
static void close_removed(struct perf_events *events, struct perf_event *event)
{
    if (has_ring(events, event)) {
        perf_events_keep_sums(events, event);
        event->role = PERF_RING;
    } else {
        close_counted(events, event);
    }
}

void perf_events_close_removed(struct perf_events *events, const bool *cpus)
{
    for (size_t i = 0; i < events->n; i++) {
        struct perf_event *event = &events->all[i];

        if (is_removed_with_cpu(event) && cpus[event->cpu])
            close_removed(events, event);
    }
    drop_closed(events);
}

bool perf_events_samples(const struct perf_events *events, struct perf_target target,
                         uint32_t cpu)
{
    for (size_t i = 0; i < events->n; i++) {
        const struct perf_event *event = &events->all[i];

        if (event->role == PERF_SAMPLES && event->cpu == cpu && is_of(event, target))
            return true;
    }
    return false;
}
