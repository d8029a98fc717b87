/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_events.h. */
#include "perf_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "perf_call.h"
#include "libfxtsampler/regions.h"

/* Two megabytes hold what a CPU does in some 60 ms at the shortest period; eight, copies
 * of stacks for a quarter of a second, at a thousand of them a second. */
enum { RING_BYTES = 1 << 21, RING_BYTES_WITH_STACKS = 1 << 23 };

bool perf_events_init(struct perf_events *events, const struct perf_event_attr *attr)
{
    events->attr = *attr;
    events->ring_bytes =
        perf_ring_limit(attr->sample_stack_user > 0 ? RING_BYTES_WITH_STACKS : RING_BYTES);
    events->rings = calloc(regions.n, sizeof(*events->rings));
    events->ring_files = calloc(regions.n, sizeof(*events->ring_files));
    return events->rings != NULL && events->ring_files != NULL;
}

void perf_events_free(struct perf_events *events)
{
    perf_events_close(events, 0);
    free(events->all);
    free(events->rings);
    free(events->ring_files);
}

void perf_events_forget(struct perf_events *events)
{
    for (uint32_t cpu = 0; cpu < regions.n; cpu++)
        perf_ring_forget(&events->rings[cpu]);
}

/* ---- Opening and closing ----------------------------------------------------------- */

static bool keep(struct perf_events *events, const struct perf_event *event)
{
    if (events->n == events->capacity) {
        size_t capacity = events->capacity > 0 ? 2 * events->capacity : 64;
        struct perf_event *all = realloc(events->all, capacity * sizeof(*all));

        if (all == NULL)
            return false;
        events->all = all;
        events->capacity = capacity;
    }
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

void perf_events_close(struct perf_events *events, size_t n)
{
    while (events->n > n)
        close_event(events, &events->all[--events->n]);
}

static bool open_with_ring(struct perf_events *events, struct perf_event event,
                           const struct perf_event_attr *attr, pid_t thread)
{
    event.file = perf_call_open(attr, thread, (int)event.cpu);
    if (event.file < 0)
        return false;
    if (!lead_to_ring(events, &event) || !keep(events, &event)) {
        int error = errno;

        close_event(events, &event);
        errno = error;
        return false;
    }
    return true;
}

/* An event that takes no samples, but reports forks, names and mappings from now on. A
 * caller that reads /proc next and starts the session after that knows all processes that
 * will be sampled: those that end before they are read have no samples. */
static bool open_sideband(struct perf_events *events, uint32_t cpu)
{
    struct perf_event event = {
        .cpu = cpu, .target.kind = FXT_SAMPLER_SYSTEM, .is_sideband = true};
    struct perf_event_attr attr = events->attr;

    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.sample_period = 0;
    attr.disabled = 0;
    return open_with_ring(events, event, &attr, -1);
}

static bool open_event(struct perf_events *events, struct perf_target target,
                       pid_t thread, uint32_t cpu, bool is_running)
{
    struct perf_event event = {.cpu = cpu, .target = target};
    bool is_system = target.kind == FXT_SAMPLER_SYSTEM;
    struct perf_event_attr attr = events->attr;

    attr.inherit = target.kind == FXT_SAMPLER_PROCESS;
    /* A CPU that sleeps counts no cycles, and some counters refuse this. */
    attr.exclude_idle = is_system && attr.type == PERF_TYPE_SOFTWARE;
    if (is_system) {
        attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = 0;
        if (!open_sideband(events, cpu))
            return false;
    }
    if (!open_with_ring(events, event, &attr, is_system ? -1 : thread))
        return false;
    if (is_running)
        ioctl(events->all[events->n - 1].file, PERF_EVENT_IOC_ENABLE, 0);
    return true;
}

bool perf_events_open_clock(struct perf_events *events, struct perf_target target,
                            pid_t thread, bool is_running)
{
    struct perf_event event = {.cpu = PERF_ANY_CPU, .target = target};
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = events->attr.size,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .read_format = PERF_READ_FIELDS,
        .disabled = !is_running,
        .inherit = target.kind == FXT_SAMPLER_PROCESS,
        .exclude_kernel = events->attr.exclude_kernel,
        .exclude_hv = 1,
    };

    event.file = perf_call_open(&attr, thread, -1);
    if (event.file < 0)
        return false;
    if (keep(events, &event))
        return true;
    close(event.file);
    errno = ENOMEM;
    return false;
}

/* A CPU that was removed since then is no error. */
bool perf_events_open(struct perf_events *events, struct perf_target target, pid_t thread,
                      const bool *cpus, bool is_running)
{
    for (uint32_t cpu = 0; cpu < regions.n; cpu++) {
        if (cpus[cpu] && !open_event(events, target, thread, cpu, is_running) &&
            errno != ENODEV)
            return false;
    }
    return true;
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

/* An event of a thread on one CPU is enabled while the thread is on others, too, or only
 * some of that time: it depends on the kernel. So this measures elapsed time only if the
 * event is a CPU's. */
static void add_times(const struct perf_events *events, const struct perf_event *event,
                      struct perf_times *times)
{
    bool is_beside = event->cpu == PERF_ANY_CPU;
    struct perf_reading reading;

    if (event->is_sideband || !perf_call_read(event->file, &reading))
        return;
    if (is_beside || events->attr.type == PERF_TYPE_SOFTWARE)
        times->passed += reading.count;
    else if (event->target.kind == FXT_SAMPLER_SYSTEM)
        times->passed += reading.enabled_ns;
    if (!is_beside)
        times->counted += reading.running_ns;
}

struct perf_times perf_events_times(const struct perf_events *events)
{
    struct perf_times times = events->closed;

    for (size_t i = 0; i < events->n; i++)
        add_times(events, &events->all[i], &times);
    return times;
}

/* ---- Retiring ---------------------------------------------------------------------- */

void perf_events_retire(struct perf_events *events, struct perf_target target)
{
    size_t n = 0;

    for (size_t i = 0; i < events->n; i++) {
        struct perf_event event = events->all[i];

        if (event.target.kind == target.kind && event.target.id == target.id) {
            ioctl(event.file, PERF_EVENT_IOC_DISABLE, 0);
            event.target.id = 0;
            if (!has_ring(events, &event)) {
                add_times(events, &event, &events->closed);
                close(event.file);
                continue;
            }
        }
        events->all[n++] = event;
    }
    events->n = n;
}
