/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_events_open.h. */
#include "perf_events_open.h"

#include <errno.h>
#include <sys/ioctl.h>

#include "perf_attr.h"
#include "perf_call.h"
#include "libfxtsampler/regions.h"

static bool open_and_add(struct perf_events *events, struct perf_event event,
                         const struct perf_event_attr *attr, pid_t thread)
{
    int cpu = event.cpu == PERF_ANY_CPU ? -1 : (int)event.cpu;

    event.file = event.target.kind == FXT_SAMPLER_CGROUP
                     ? perf_call_open_cgroup(attr, thread, cpu)
                     : perf_call_open(attr, thread, cpu);
    return event.file >= 0 && perf_events_add(events, &event);
}

/* ---- What CPUs do ------------------------------------------------------------------ */

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
    return open_and_add(events, event, &attr, -1);
}

static bool open_ring(struct perf_events *events, uint32_t cpu)
{
    struct perf_event event = {
        .cpu = cpu, .target.kind = FXT_SAMPLER_SYSTEM, .role = PERF_RING};
    struct perf_event_attr attr = sideband_attr(events);

    if (has_role(events, PERF_RING, cpu))
        return true;
    perf_attr_report_nothing(&attr);
    return open_and_add(events, event, &attr, -1);
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
    if (!open_and_add(events, event, &attr, thread))
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
        if (!open_and_add(events, event, &attr, group))
            return false;
        enable_last(events, is_running);
    }
    event.number = 0;
    return open_switch_stacks(events, event, -1, is_running);
}

/* ---- What targets do --------------------------------------------------------------- */

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
        if (!open_and_add(events, event, &attr, thread))
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

    return open_and_add(events, event, &attr, thread);
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

/* ---- On all CPUs ------------------------------------------------------------------- */

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

bool perf_events_switch_to_tree(struct perf_events *events, const bool *cpus,
                                bool is_running)
{
    size_t first = events->n;

    if (!perf_events_open_tree(events, cpus, false)) {
        perf_events_close(events, first);
        return false;
    }
    perf_events_replace_samplers(events, first, is_running);
    events->has_tree_samples = true;
    return true;
}
