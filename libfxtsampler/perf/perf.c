/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling by the kernel's perf events: a clock for each target on each CPU, whose
 * records go to one ring a CPU, which a thread of the session drains into the regions
 * (perf_drain.h).
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "perf_attr.h"
#include "perf_drain.h"
#include "perf_record.h"
#include "libfxtsampler/session.h"

/* Often enough for a ring of the smallest period, and seldom enough to cost nothing; and
 * how often CPUs are looked for. */
static const struct timespec drain_pause = {.tv_nsec = 10000000};
enum { NS_BETWEEN_LOOKS = 500000000 };

/* ---- Draining ---------------------------------------------------------------------- */

/* `is_last` means that no more will be written. */
static void drain(const struct fxt_sampler *sampler, bool is_last)
{
    perf_drain_before(sampler, is_last ? UINT64_MAX : perf_settled_time());
}

/* ---- What processes have mapped already -------------------------------------------- */

/* The events are enabled, so that what changes from now on is reported. */
static void read_target(struct perf *p, struct perf_target target)
{
    if (target.kind == FXT_SAMPLER_PROCESS)
        perf_unwinder_read_process(p->unwinder, target.id);
}

/* Of the system, what changes is reported since it became a target; and a process may
 * have ended when its first sample is processed. */
static void read_system(struct perf *p)
{
    if (p->scope.events.attr.sample_stack_user > 0 &&
        (p->scope.filter.has_system || p->scope.filter.has_cgroup))
        perf_unwinder_read_all(p->unwinder);
}

/* ---- Targets ----------------------------------------------------------------------- */

static enum fxt_sampler_code attach(struct fxt_sampler *sampler,
                                    enum fxt_sampler_target kind, pid_t id)
{
    struct perf *p = sampler->state;
    struct perf_target target = {kind, id};
    enum fxt_sampler_code code;

    pthread_mutex_lock(&p->lock);
    /* A child may have begun, and be sampled, already. */
    if (sampler->is_running)
        drain(sampler, true);
    code = perf_scope_attach(&p->scope, sampler, target);
    if (sampler->is_running)
        perf_trace_note_target(&p->trace);
    if (code == FXT_SAMPLER_OK && sampler->is_running)
        read_target(p, target);
    pthread_mutex_unlock(&p->lock);
    return code;
}

static enum fxt_sampler_code detach(struct fxt_sampler *sampler, pid_t thread)
{
    struct perf *p = sampler->state;
    enum fxt_sampler_code code;

    pthread_mutex_lock(&p->lock);
    code = perf_scope_detach(&p->scope, thread);
    pthread_mutex_unlock(&p->lock);
    return code;
}

/* ---- While it runs ----------------------------------------------------------------- */

static void look_for_cpus(struct fxt_sampler *sampler)
{
    struct perf *p = sampler->state;

    bool any = session_look_for_cpus(sampler, p->came);
    uint32_t n = perf_scope_find_removed(&p->scope, sampler->is_online, p->came);

    atomic_fetch_add(&sampler->cpus_went, n);
    atomic_fetch_add(&sampler->cpus_came, n);
    if (any || n > 0)
        perf_scope_add_cpus(&p->scope, p->came);
}

/* Rings fill up while this thread waits for a CPU, which may be one of thousands that do.
 * On Linux this is the priority of the calling thread alone. Without the privilege that
 * it needs, the thread waits like others. */
static void run_first(void)
{
    setpriority(PRIO_PROCESS, 0, -20);
}

static void *run_drainer(void *context)
{
    struct fxt_sampler *sampler = context;
    struct perf *p = sampler->state;
    uint64_t last_look = regions_now();

    run_first();
    while (!atomic_load(&p->quit)) {
        nanosleep(&drain_pause, NULL);
        pthread_mutex_lock(&p->lock);
        drain(sampler, false);
        perf_scope_review(&p->scope, sampler);
        if (regions_now() - last_look >= NS_BETWEEN_LOOKS) {
            last_look = regions_now();
            look_for_cpus(sampler);
            perf_filter_age(&p->scope.filter);
            tracker_look_for_names(sampler->tracker);
        }
        pthread_mutex_unlock(&p->lock);
    }
    return NULL;
}

static enum fxt_sampler_code start(struct fxt_sampler *sampler)
{
    struct perf *p = sampler->state;

    atomic_store(&p->quit, false);
    if (pthread_create(&p->drainer, NULL, run_drainer, sampler) != 0)
        return FXT_SAMPLER_E_RESOURCES;
    pthread_mutex_lock(&p->lock);
    read_system(p);
    perf_events_start(&p->scope.events);
    p->scope.is_running = true;
    perf_trace_start(&p->trace);
    for (size_t i = 0; i < p->scope.targets.n; i++)
        read_target(p, p->scope.targets.all[i]);
    pthread_mutex_unlock(&p->lock);
    return FXT_SAMPLER_OK;
}

/* What is lost last is reported by no record, as none follows. */
static void count_unreported(struct perf *p)
{
    for (uint32_t cpu = 0; cpu < regions.n; cpu++) {
        struct region *region = &regions.all[cpu];
        uint64_t n = perf_events_lost(&p->scope.events, cpu);

        if (n > p->n_lost[cpu]) {
            regions_lose(region, &region->lost, n - p->n_lost[cpu]);
            p->n_lost[cpu] = n;
        }
    }
}

/* A disabled event writes nothing more, on whatever CPU it was. */
static void stop(struct fxt_sampler *sampler)
{
    struct perf *p = sampler->state;

    atomic_store(&p->quit, true);
    pthread_mutex_lock(&p->lock);
    perf_events_stop(&p->scope.events);
    p->scope.is_running = false;
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->drainer, NULL);
    drain(sampler, true);
    count_unreported(p);
    perf_trace_stop(&p->trace);
    regions_close_gates();
}

/* ---- From one archive to the next ---------------------------------------------------
 */

/* What is processed while a table is made may be later than what was asked for: then
 * records of the other CPUs up to there are wanted, too. */
enum { DRAINS_MAX = 4 };

static bool end_archive(struct fxt_sampler *sampler)
{
    struct perf *p = sampler->state;
    uint64_t time;

    if (!p->trace.is_on)
        return false;
    pthread_mutex_lock(&p->lock);
    time = perf_settled_time();
    for (int i = 0; i < DRAINS_MAX; i++) {
        perf_drain_before(sampler, time);
        if (p->trace.last_ns < time)
            break;
        time = p->trace.last_ns + 1;
    }
    perf_trace_end_archive(&p->trace, time);
    return true;
}

static void begin_archive(struct fxt_sampler *sampler)
{
    struct perf *p = sampler->state;

    perf_trace_begin_archive(&p->trace);
    pthread_mutex_unlock(&p->lock);
}

/* ---- The session ------------------------------------------------------------------- */

static void close_perf(struct fxt_sampler *sampler)
{
    struct perf *p = sampler->state;

    perf_scope_free(&p->scope);
    perf_trace_free(&p->trace);
    perf_unwinder_destroy(p->unwinder);
    pthread_mutex_destroy(&p->lock);
    free(p->came);
    free(p->next_times);
    free(p->n_lost);
    free(p->held);
    perf_backlog_free(&p->backlog);
    free(p);
}

/* The child's copies of files and of all other memory are its own to close. */
static void forget_perf(struct fxt_sampler *sampler)
{
    struct perf *p = sampler->state;

    perf_events_forget(&p->scope.events);
    /* A thread of the parent may have been changing it: its memory is left as it is. */
    p->unwinder = NULL;
    close_perf(sampler);
}

static enum fxt_sampler_code open_perf(struct fxt_sampler *sampler)
{
    struct perf_event_attr attr;
    enum fxt_sampler_code code = perf_attr_find(sampler, &attr);
    struct perf *p;

    if (code != FXT_SAMPLER_OK)
        return code;
    p = calloc(1, sizeof(*p));
    if (p == NULL)
        return FXT_SAMPLER_E_RESOURCES;
    perf_read_clock_offset();
    pthread_mutex_init(&p->lock, NULL);
    sampler->state = p;
    p->came = calloc(regions.n, sizeof(*p->came));
    p->next_times = calloc(regions.n, sizeof(*p->next_times));
    p->n_lost = calloc(regions.n, sizeof(*p->n_lost));
    p->held = malloc(PERF_RECORD_BYTES_MAX);
    p->unwinder = perf_unwinder_create();
    if (sources_have_clock(&sampler->sources))
        sampler->cost = perf_cost_measure(&attr, sampler->config.period_ns);
    if (p->came != NULL && p->next_times != NULL && p->n_lost != NULL &&
        p->held != NULL && p->unwinder != NULL)
        code = perf_trace_open(&p->trace, sampler, &attr);
    else
        code = FXT_SAMPLER_E_RESOURCES;
    if (code == FXT_SAMPLER_OK && !perf_scope_init(&p->scope, sampler, &attr, &p->trace))
        code = FXT_SAMPLER_E_RESOURCES;
    if (code != FXT_SAMPLER_OK)
        close_perf(sampler);
    return code;
}

/* Where threads start and end, some per cent of the time are lost at the edges, with no
 * other user of the counters. */
static uint64_t uncounted(const struct perf_times *times)
{
    uint64_t ns = times->passed > times->counted ? times->passed - times->counted : 0;

    return ns > times->passed / 20 ? ns : 0;
}

/* Samples of one mode are no measure of all time, and neither are those of CPUs that are
 * idle now and then. */
static bool is_time_known(const struct perf *p)
{
    return !p->scope.events.attr.exclude_kernel && !p->scope.events.attr.exclude_user &&
           !p->scope.filter.has_system &&
           !(p->scope.filter.has_cgroup && p->scope.filter.tree.n_used > 0);
}

static void take_times(const struct fxt_sampler *sampler,
                       struct fxt_sampler_counts *counts)
{
    struct perf *p = sampler->state;
    bool has_cycles = (sampler->config.flags & FXT_SAMPLER_CYCLES) != 0;
    struct perf_times times = {0, 0};
    bool is_known;

    pthread_mutex_lock(&p->lock);
    is_known = is_time_known(p);
    if (is_known || has_cycles)
        times = perf_events_times(&p->scope.events);
    counts->begun = p->scope.filter.n_forks_in_all;
    counts->by_cpus =
        p->scope.events.has_tree_samples || p->scope.filter.tree.n_used == 0;
    pthread_mutex_unlock(&p->lock);
    if (is_known && sampler->sources.n == 0)
        counts->cpu_ns = times.passed;
    if (has_cycles)
        counts->uncounted_ns = uncounted(&times);
}

static bool has_counter(const struct perf *p, uint32_t number)
{
    return p->scope.events.has_clocks &&
           perf_events_has_counter(&p->scope.events.samplers[number]);
}

/* Whether what the events of a source have counted is what they sample: not where they
 * are of CPUs, and others are left out, unless it is counted for the targets as well, or
 * their part of it is known by the weights; and CPUs have time when they are idle. */
static bool is_count_known(const struct fxt_sampler *sampler, uint32_t number)
{
    const struct perf *p = sampler->state;
    const struct perf_events *events = &p->scope.events;
    const struct perf_filter *filter = &p->scope.filter;

    if (source_is_clock(&sampler->sources.all[number])) {
        if (!is_time_known(p) || events->has_tree_samples)
            return false;
    } else if (events->has_tree_samples && sampler->sources.count > 0 &&
               !has_counter(p, number)) {
        return false;
    }
    return !filter->has_cgroup && (!filter->has_system || filter->tree.n_used == 0);
}

/* What processors count is not counted for each target: there are too few counters. */
static struct perf_count count_source(const struct perf *p, uint32_t number)
{
    const struct perf_events *events = &p->scope.events;
    struct perf_count count = perf_events_count(events, number);
    struct perf_count share;

    if (!events->has_tree_samples)
        return count;
    share = weights_share(&p->taken[number], perf_events_count_tree(events, number));
    share.lost += perf_events_count_before(events, number).lost;
    share.counted += perf_events_count_before(events, number).counted;
    if (has_counter(p, number))
        share.counted = count.counted;
    return share;
}

static void take_source(const struct fxt_sampler *sampler, uint32_t number,
                        struct source_count *to)
{
    const struct perf *p = sampler->state;
    struct perf_count count = count_source(p, number);

    to->lost = count.lost;
    if (!is_count_known(sampler, number))
        return;
    to->counted = count.counted;
    to->sampled = weights_sampled(&p->taken[number], count.lost);
}

static void take_sources(const struct fxt_sampler *sampler, struct source_count *counts)
{
    struct perf *p = sampler->state;

    pthread_mutex_lock(&p->lock);
    for (uint32_t i = 0; i < sampler->sources.n; i++)
        take_source(sampler, i, &counts[i]);
    pthread_mutex_unlock(&p->lock);
}

const struct method method_perf = {
    .number = FXT_SAMPLER_PERF,
    .open = open_perf,
    .attach = attach,
    .detach = detach,
    .start = start,
    .stop = stop,
    .take_times = take_times,
    .take_sources = take_sources,
    .end_archive = end_archive,
    .begin_archive = begin_archive,
    .close = close_perf,
    .forget = forget_perf,
};
