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
    free(events->ids);
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

static enum perf_source source_of(const struct perf_event *event)
{
    if (event->target.kind == FXT_SAMPLER_CGROUP)
        return PERF_OF_CGROUP;
    if (!perf_event_is_of_cpu(event))
        return PERF_OF_TASK;
    return event->role == PERF_TREE_SAMPLES ? PERF_OF_TREE : PERF_OF_SYSTEM;
}

/* The kernel counts ids up. */
static bool keep_id(struct perf_events *events, const struct perf_event *event)
{
    struct perf_event_id id = {
        .source = source_of(event), .role = event->role, .number = event->number};

    if (!perf_event_is_of_cpu(event) && event->role == PERF_SAMPLES && event->number == 0)
        return true;
    if (events->n_ids == events->ids_capacity) {
        size_t capacity = events->ids_capacity > 0 ? 2 * events->ids_capacity : 16;
        struct perf_event_id *ids = realloc(events->ids, capacity * sizeof(*ids));

        if (ids == NULL)
            return false;
        events->ids = ids;
        events->ids_capacity = capacity;
    }
    if (ioctl(event->file, PERF_EVENT_IOC_ID, &id.id) != 0)
        return false;
    events->ids[events->n_ids++] = id;
    return true;
}

/* NULL for an event that samples the first source in a thread or process. */
static const struct perf_event_id *find_id(const struct perf_events *events, uint64_t id)
{
    size_t low = 0;
    size_t high = events->n_ids;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (events->ids[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < events->n_ids && events->ids[low].id == id ? &events->ids[low] : NULL;
}

enum perf_event_role perf_events_role(const struct perf_events *events, uint64_t id)
{
    const struct perf_event_id *found = find_id(events, id);

    return found != NULL ? found->role : PERF_SAMPLES;
}

enum perf_source perf_events_source(const struct perf_events *events, uint64_t id)
{
    const struct perf_event_id *found = find_id(events, id);

    return found != NULL ? found->source : PERF_OF_TASK;
}

uint32_t perf_events_number(const struct perf_events *events, uint64_t id)
{
    const struct perf_event_id *found = find_id(events, id);

    return found != NULL ? found->number : 0;
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
    event.file = event.target.kind == FXT_SAMPLER_CGROUP
                     ? perf_call_open_cgroup(attr, thread, (int)event.cpu)
                     : perf_call_open(attr, thread, (int)event.cpu);
    if (event.file < 0)
        return false;
    if (!lead_to_ring(events, &event) || !keep_id(events, &event) ||
        !keep(events, &event)) {
        int error = errno;

        close_event(events, &event);
        errno = error;
        return false;
    }
    return true;
}

static struct perf_event_attr sideband_attr(const struct perf_events *events)
{
    struct perf_event_attr attr = events->attr;

    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.sample_period = 0;
    attr.inherit = 0;
    attr.disabled = 0;
    attr.build_id = 0;
    return attr;
}

static bool has_role(const struct perf_events *events, enum perf_event_role role,
                     uint32_t cpu)
{
    for (size_t i = 0; i < events->n; i++) {
        if (events->all[i].role == role && events->all[i].cpu == cpu)
            return true;
    }
    return false;
}

/* An event that takes no samples, but reports forks, names and mappings from now on. A
 * caller that reads /proc next and starts the session after that knows all processes that
 * will be sampled: those that end before they are read have no samples. */
static bool open_sideband(struct perf_events *events, uint32_t cpu, bool has_switches)
{
    struct perf_event event = {
        .cpu = cpu, .target.kind = FXT_SAMPLER_SYSTEM, .role = PERF_SIDEBAND};
    struct perf_event_attr attr = sideband_attr(events);

    if (has_role(events, PERF_SIDEBAND, cpu))
        return true;
    attr.context_switch = has_switches;
    return open_with_ring(events, event, &attr, -1);
}

static bool open_ring(struct perf_events *events, uint32_t cpu)
{
    struct perf_event event = {
        .cpu = cpu, .target.kind = FXT_SAMPLER_SYSTEM, .role = PERF_RING};
    struct perf_event_attr attr = sideband_attr(events);

    if (has_role(events, PERF_RING, cpu))
        return true;
    perf_attr_report_nothing(&attr);
    return open_with_ring(events, event, &attr, -1);
}

static void enable_last(const struct perf_events *events, bool is_running)
{
    if (is_running)
        ioctl(events->all[events->n - 1].file, PERF_EVENT_IOC_ENABLE, 0);
}

static bool open_other(struct perf_events *events, struct perf_event event,
                       struct perf_event_attr attr, pid_t thread, bool is_running)
{
    attr.inherit = event.target.kind == FXT_SAMPLER_PROCESS;
    if (!open_with_ring(events, event, &attr, thread))
        return false;
    enable_last(events, is_running);
    return true;
}

/* The stacks of what is sampled, where it is switched out. */
static bool open_switch_stacks(struct perf_events *events, struct perf_event event,
                               pid_t thread, bool is_running)
{
    event.role = PERF_SWITCH_STACKS;
    return !events->has_switch_stacks ||
           open_other(events, event, perf_attr_of_switches(&events->attr), thread,
                      is_running);
}

/* What happens on a CPU, or of that what a control group does: a target with one of the
 * two, or with neither. */
static bool open_cpu(struct perf_events *events, struct perf_event event, bool is_running)
{
    pid_t group = event.target.kind == FXT_SAMPLER_CGROUP ? event.target.id : -1;

    if (!open_sideband(events, event.cpu, events->has_switches))
        return false;
    for (event.number = 0; event.number < events->n_samplers; event.number++) {
        struct perf_event_attr attr = events->samplers[event.number];

        /* A CPU that sleeps counts no cycles, and some counters refuse this. */
        attr.exclude_idle = attr.type == PERF_TYPE_SOFTWARE;
        attr.inherit = 0;
        perf_attr_report_nothing(&attr);
        if (!open_with_ring(events, event, &attr, group))
            return false;
        enable_last(events, is_running);
    }
    event.number = 0;
    return open_switch_stacks(events, event, -1, is_running);
}

static bool open_event(struct perf_events *events, struct perf_target target,
                       pid_t thread, uint32_t cpu, bool is_running)
{
    struct perf_event event = {.cpu = cpu, .target = target};

    if (perf_event_is_of_cpu(&event))
        return open_cpu(events, event, is_running);
    for (event.number = 0; event.number < events->n_samplers; event.number++) {
        struct perf_event_attr attr = events->samplers[event.number];

        attr.inherit = target.kind == FXT_SAMPLER_PROCESS;
        attr.context_switch = events->has_switches && event.number == 0;
        if (event.number == 0)
            attr.build_id = events->attr.build_id;
        if (!open_with_ring(events, event, &attr, thread))
            return false;
        enable_last(events, is_running);
    }
    event.number = 0;
    return open_switch_stacks(events, event, thread, is_running);
}

static bool open_counter(struct perf_events *events, struct perf_event event,
                         uint64_t config, pid_t thread, bool is_running)
{
    bool is_clock = event.role == PERF_CLOCK;
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = events->attr.size,
        .config = config,
        .read_format = PERF_READ_FIELDS,
        .disabled = !is_running,
        .inherit = event.target.kind == FXT_SAMPLER_PROCESS,
        .exclude_kernel = events->attr.exclude_kernel,
        .exclude_user = !is_clock && events->attr.exclude_user,
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

bool perf_events_has_counter(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_SOFTWARE && attr->config != PERF_COUNT_SW_CPU_CLOCK &&
           attr->config != PERF_COUNT_SW_TASK_CLOCK;
}

bool perf_events_open_clock(struct perf_events *events, struct perf_target target,
                            pid_t thread, bool is_running)
{
    struct perf_event event = {.cpu = PERF_ANY_CPU, .target = target, .role = PERF_CLOCK};

    if (!open_counter(events, event, PERF_COUNT_SW_TASK_CLOCK, thread, is_running))
        return false;
    event.role = PERF_COUNTER;
    for (; event.number < events->n_samplers && events->has_clocks; event.number++) {
        const struct perf_event_attr *attr = &events->samplers[event.number];

        if (perf_events_has_counter(attr) &&
            !open_counter(events, event, attr->config, thread, is_running))
            return false;
    }
    return true;
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

bool perf_events_open_rings(struct perf_events *events, const bool *cpus)
{
    for (uint32_t cpu = 0; cpu < regions.n; cpu++) {
        if (cpus[cpu] && !open_ring(events, cpu) && errno != ENODEV)
            return false;
    }
    return true;
}

/* One that wakes a thread may be no target. */
bool perf_events_open_wakeups(struct perf_events *events, const bool *cpus,
                              bool is_running)
{
    struct perf_event event = {.target.kind = FXT_SAMPLER_SYSTEM, .role = PERF_WAKEUPS};
    struct perf_event_attr attr = perf_attr_of_wakeups(&events->attr, events->wakeups);

    for (event.cpu = 0; event.cpu < regions.n && events->wakeups != 0; event.cpu++) {
        if (cpus[event.cpu] && !has_role(events, PERF_WAKEUPS, event.cpu) &&
            !open_other(events, event, attr, -1, is_running) && errno != ENODEV)
            return false;
    }
    return true;
}

bool perf_events_open_tree(struct perf_events *events, const bool *cpus, bool is_running)
{
    struct perf_event event = {.target.kind = FXT_SAMPLER_SYSTEM,
                               .role = PERF_TREE_SAMPLES};

    for (event.cpu = 0; event.cpu < regions.n; event.cpu++) {
        if (cpus[event.cpu] && !open_cpu(events, event, is_running) && errno != ENODEV)
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

/* ---- Retiring ---------------------------------------------------------------------- */

/* Closes an event, unless a ring belongs to it. */
static bool retire(struct perf_events *events, struct perf_event *event)
{
    ioctl(event->file, PERF_EVENT_IOC_DISABLE, 0);
    event->target.id = 0;
    if (has_ring(events, event))
        return false;
    perf_events_keep_counts(events, event);
    close(event->file);
    return true;
}

void perf_events_retire(struct perf_events *events, struct perf_target target)
{
    size_t n = 0;

    for (size_t i = 0; i < events->n; i++) {
        struct perf_event event = events->all[i];

        if (event.target.kind == target.kind && event.target.id == target.id &&
            retire(events, &event))
            continue;
        events->all[n++] = event;
    }
    events->n = n;
}

static bool is_task_sampler(const struct perf_event *event)
{
    return event->role == PERF_SAMPLES && !perf_event_is_of_cpu(event) &&
           event->target.id != 0;
}

/* All are disabled first, which takes no time in which both sample. */
bool perf_events_switch_to_tree(struct perf_events *events, const bool *cpus,
                                bool is_running)
{
    size_t first = events->n;
    size_t n = 0;

    if (!perf_events_open_tree(events, cpus, false)) {
        perf_events_close(events, first);
        return false;
    }
    for (size_t i = 0; i < first; i++) {
        if (is_task_sampler(&events->all[i]))
            ioctl(events->all[i].file, PERF_EVENT_IOC_DISABLE, 0);
    }
    for (size_t i = first; is_running && i < events->n; i++)
        ioctl(events->all[i].file, PERF_EVENT_IOC_ENABLE, 0);
    for (size_t i = 0; i < events->n; i++) {
        struct perf_event event = events->all[i];

        if (!is_task_sampler(&event) || !retire(events, &event))
            events->all[n++] = event;
    }
    events->n = n;
    events->has_tree_samples = true;
    return true;
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
static bool close_removed(struct perf_events *events, struct perf_event *event)
{
    if (has_ring(events, event)) {
        perf_events_keep_sums(events, event);
        event->role = PERF_RING;
        return false;
    }
    perf_events_keep_counts(events, event);
    close(event->file);
    return true;
}

void perf_events_close_removed(struct perf_events *events, const bool *cpus)
{
    size_t n = 0;

    for (size_t i = 0; i < events->n; i++) {
        struct perf_event event = events->all[i];

        if (is_removed_with_cpu(&event) && cpus[event.cpu] &&
            close_removed(events, &event))
            continue;
        events->all[n++] = event;
    }
    events->n = n;
}

bool perf_events_samples(const struct perf_events *events, struct perf_target target,
                         uint32_t cpu)
{
    for (size_t i = 0; i < events->n; i++) {
        const struct perf_event *event = &events->all[i];

        if (event->role == PERF_SAMPLES && event->cpu == cpu &&
            event->target.kind == target.kind && event->target.id == target.id)
            return true;
    }
    return false;
}
