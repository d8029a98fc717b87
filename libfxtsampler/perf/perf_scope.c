/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_scope.h. */
#include "perf_scope.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/processes/proc_stat.h"
#include "perf_call.h"
#include "perf_events_open.h"

/* ---- Beginning --------------------------------------------------------------------- */

static bool are_cpus_allowed(const struct perf_event_attr *attr, const bool *is_online)
{
    uint32_t cpu = 0;
    int event;

    while (cpu + 1 < regions.n && !is_online[cpu])
        cpu++;
    event = perf_call_open(attr, -1, (int)cpu);
    if (event < 0)
        return false;
    close(event);
    return true;
}

/* How many cycles of a CPU were not counted says nothing of those of a thread. */
bool perf_scope_init(struct perf_scope *scope, const struct fxt_sampler *sampler,
                     const struct perf_event_attr *attr, const struct perf_trace *trace)
{
    scope->events.has_switches = trace->is_on;
    scope->events.has_switch_stacks = trace->has_stacks;
    scope->events.wakeups = trace->has_wakeups ? trace->waking.id : 0;
    /* Switches of a thread are reported by its events. */
    scope->may_switch = attr->type == PERF_TYPE_SOFTWARE && !trace->is_on &&
                        are_cpus_allowed(attr, sampler->is_online);
    return perf_events_init(&scope->events, attr, sampler);
}

/* Before the first event of a thread is opened: what it needs so that it can be closed.
 */
static void prepare_switch(struct perf_scope *scope, const struct fxt_sampler *sampler,
                           struct perf_target target)
{
    struct perf_events *events = &scope->events;
    size_t n = events->n;
    bool is_task =
        target.kind == FXT_SAMPLER_THREAD || target.kind == FXT_SAMPLER_PROCESS;

    if (!is_task || !scope->may_switch || events->has_clocks)
        return;
    events->has_clocks = perf_events_open_rings(events, sampler->is_online);
    if (!events->has_clocks)
        perf_events_close(events, n);
    scope->may_switch = events->has_clocks;
}

void perf_scope_free(struct perf_scope *scope)
{
    perf_events_free(&scope->events);
    for (size_t i = 0; i < scope->targets.n; i++) {
        if (scope->targets.all[i].kind == FXT_SAMPLER_CGROUP)
            close(scope->targets.all[i].id);
    }
    perf_targets_free(&scope->targets);
    perf_tree_free(&scope->filter.tree);
}

/* ---- Attaching --------------------------------------------------------------------- */

/* Linux, up to 6.18 at least, marks a mapping's record as one with a build id for every
 * event that receives it after an event that requested build ids
 * (perf_event_mmap_output), and perf 6.1, for one, crashes on such records. The events of
 * a process receive records newest event first. So build ids are requested only for this
 * process's own children, where no perf can have been first unless it records this
 * process, too; and if there is any other target, the build ids in records are not to be
 * trusted. */
static bool is_for_us_alone(struct perf_target target)
{
    siginfo_t unused;

    return target.kind == FXT_SAMPLER_PROCESS &&
           waitid(P_PID, (id_t)target.id, &unused, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* Two descriptors of one directory are one control group. */
static bool is_same_target(struct perf_target a, struct perf_target b)
{
    struct stat of_a;
    struct stat of_b;

    if (a.kind != b.kind)
        return false;
    if (a.kind != FXT_SAMPLER_CGROUP)
        return a.id == b.id;
    return fstat(a.id, &of_a) == 0 && fstat(b.id, &of_b) == 0 &&
           of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

/* Individually, or with another target. */
static bool is_attached(const struct perf_scope *scope, struct perf_target target)
{
    const struct perf_targets *targets = &scope->targets;

    for (size_t i = 0; i < targets->n; i++) {
        if (is_same_target(targets->all[i], target))
            return true;
    }
    switch (target.kind) {
    case FXT_SAMPLER_THREAD:
        return scope->filter.has_system ||
               perf_tree_has_process(&scope->filter.tree, proc_status_process(target.id));
    case FXT_SAMPLER_PROCESS:
        return scope->filter.has_system ||
               perf_tree_has_process(&scope->filter.tree, target.id);
    case FXT_SAMPLER_SYSTEM:
    case FXT_SAMPLER_CGROUP:
        return scope->filter.has_system;
    }
    return false;
}

static bool add_to_filter(struct perf_filter *filter, struct perf_target target)
{
    switch (target.kind) {
    case FXT_SAMPLER_THREAD:
        return perf_tree_add_thread(&filter->tree, proc_status_process(target.id),
                                    target.id);
    case FXT_SAMPLER_PROCESS:
        return perf_tree_add_process(&filter->tree, target.id);
    case FXT_SAMPLER_SYSTEM:
        filter->has_system = true;
        return true;
    case FXT_SAMPLER_CGROUP:
        filter->has_cgroup = true;
        return true;
    }
    return false;
}

static void remove_from_filter(struct perf_filter *filter, struct perf_target target)
{
    switch (target.kind) {
    case FXT_SAMPLER_THREAD:
        perf_tree_remove_thread(&filter->tree, proc_status_process(target.id), target.id);
        break;
    case FXT_SAMPLER_PROCESS:
        perf_tree_remove_process(&filter->tree, target.id);
        break;
    case FXT_SAMPLER_SYSTEM:
        filter->has_system = false;
        break;
    case FXT_SAMPLER_CGROUP:
        break;
    }
}

/* The descriptor of a control group is the caller's, and a duplicate is kept. */
static enum fxt_sampler_code add_target(struct perf_scope *scope,
                                        const struct fxt_sampler *sampler,
                                        struct perf_target target)
{
    enum fxt_sampler_code code;

    if (target.kind == FXT_SAMPLER_CGROUP) {
        target.id = fcntl(target.id, F_DUPFD_CLOEXEC, 0);
        if (target.id < 0)
            return FXT_SAMPLER_E_NO_TARGET;
    }
    code = perf_targets_add(&scope->targets, &scope->events, target, sampler->is_online,
                            scope->is_running);
    if (code != FXT_SAMPLER_OK && target.kind == FXT_SAMPLER_CGROUP)
        close(target.id);
    return code;
}

/* An event of a thread takes its first sample after a whole period, and of a process with
 * so many threads, few may run for several while it is recorded. The events of CPUs
 * sample whatever thread runs when theirs has passed, and are fewer. */
enum { MANY_THREADS = 256 };

static void switch_for_many(struct perf_scope *scope, const struct fxt_sampler *sampler,
                            struct perf_target target)
{
    if (target.kind == FXT_SAMPLER_PROCESS && scope->may_switch &&
        !scope->events.has_tree_samples &&
        proc_status_number(target.id, "Threads:", 0) >= MANY_THREADS)
        scope->may_switch = perf_events_switch_to_tree(&scope->events, sampler->is_online,
                                                       scope->is_running);
}

/* A process belongs to the filter before it is sampled: no sample of it, or fork, is to
 * be missed. */
enum fxt_sampler_code perf_scope_attach(struct perf_scope *scope,
                                        const struct fxt_sampler *sampler,
                                        struct perf_target target)
{
    enum fxt_sampler_code code;

    if (is_attached(scope, target))
        return FXT_SAMPLER_E_ATTACHED;
    if (target.kind == FXT_SAMPLER_CGROUP && scope->events.has_switches)
        return FXT_SAMPLER_E_METHOD;
    if (!is_for_us_alone(target))
        scope->events.attr.build_id = 0;
    prepare_switch(scope, sampler, target);
    if (!perf_events_open_wakeups(&scope->events, sampler->is_online, scope->is_running))
        return perf_call_code(errno);
    if (!add_to_filter(&scope->filter, target))
        return FXT_SAMPLER_E_RESOURCES;
    switch_for_many(scope, sampler, target);
    code = add_target(scope, sampler, target);
    if (code != FXT_SAMPLER_OK)
        remove_from_filter(&scope->filter, target);
    return code;
}

enum fxt_sampler_code perf_scope_detach(struct perf_scope *scope, pid_t thread)
{
    struct perf_target target = {FXT_SAMPLER_THREAD, thread};
    size_t i = perf_targets_find(&scope->targets, target);

    if (i == scope->targets.n)
        return FXT_SAMPLER_E_ATTACHED;
    perf_targets_remove(&scope->targets, i);
    perf_events_retire(&scope->events, target);
    perf_tree_remove_thread(&scope->filter.tree, proc_status_process(thread), thread);
    return FXT_SAMPLER_OK;
}

/* ---- While it runs ----------------------------------------------------------------- */

/* If it fails once, it is not tried again. */
void perf_scope_review(struct perf_scope *scope, const struct fxt_sampler *sampler)
{
    if (!scope->may_switch || scope->filter.has_system ||
        scope->events.has_tree_samples || !perf_filter_has_short_threads(&scope->filter))
        return;
    perf_tree_remove_ended(&scope->filter.tree);
    scope->may_switch =
        perf_events_switch_to_tree(&scope->events, sampler->is_online, scope->is_running);
}

uint32_t perf_scope_find_removed(struct perf_scope *scope, const bool *online,
                                 bool *removed)
{
    return perf_events_find_removed(&scope->events, online, removed);
}

void perf_scope_add_cpus(struct perf_scope *scope, const bool *cpus)
{
    perf_events_close_removed(&scope->events, cpus);
    if (scope->events.has_clocks)
        perf_events_open_rings(&scope->events, cpus);
    if (scope->events.has_tree_samples)
        perf_events_open_tree(&scope->events, cpus, scope->is_running);
    perf_events_open_wakeups(&scope->events, cpus, scope->is_running);
    perf_targets_add_cpus(&scope->targets, &scope->events, cpus, scope->is_running);
}
