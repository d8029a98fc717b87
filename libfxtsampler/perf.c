/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling by the kernel's perf events: a clock for each target on each CPU, whose
 * records go to one ring a CPU, which a thread of the session drains into the regions.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include "perf_attr.h"
#include "perf_queue.h"
#include "perf_targets.h"
#include "session.h"

/* A session's. */
struct perf {
    /* What the functions of a method and the thread that drains share, all of it. */
    pthread_mutex_t lock;
    struct perf_events events;
    struct perf_targets targets;
    bool *came;
    /* The events of processes to report, and when the rings were drained last. */
    struct perf_queue queue;
    uint64_t last_drain;
    pthread_t drainer;
    atomic_bool quit;
};

/* Often enough for a ring of the smallest period, and seldom enough to cost nothing; and
 * how often CPUs are looked for. */
static const struct timespec drain_pause = {.tv_nsec = 10000000};
enum { NS_BETWEEN_LOOKS = 500000000 };

/* ---- Draining ---------------------------------------------------------------------- */

static void take_record(const struct fxt_sampler *sampler, uint32_t cpu,
                        const struct perf_event_header *record)
{
    struct perf *p = sampler->state;
    struct region *region = &regions.all[cpu];
    struct perf_sample sample;
    uint64_t n_lost;

    if (record->type == PERF_RECORD_SAMPLE) {
        if (perf_read_sample(record, &sample))
            regions_write(cpu, sample.time, sample.process, sample.thread, sample.pcs,
                          sample.n_pcs, FXT_STACK_END_UNKNOWN);
        else
            regions_lose(region, &region->lost, 1);
    } else if (record->type == PERF_RECORD_LOST) {
        if (perf_read_lost(record, &n_lost))
            regions_lose(region, &region->lost, n_lost);
    } else if (record->type == PERF_RECORD_THROTTLE) {
        regions_count(&region->throttled, 1);
    } else if (sampler->config.on_event != NULL && !perf_queue_add(&p->queue, record)) {
        regions_lose(region, &region->lost, 1);
    }
}

/* At most what a ring holds at a time, so that no CPU makes the others wait. */
static void drain_ring(const struct fxt_sampler *sampler, uint32_t cpu,
                       struct perf_ring *ring)
{
    const struct perf_event_header *record;

    for (size_t n = 0; n < ring->size; n += record->size) {
        record = perf_ring_next(ring);
        if (record == NULL)
            return;
        take_record(sampler, cpu, record);
        perf_ring_drop(ring, record);
    }
}

/* What was written to any ring before the last time is in order now; `is_last` means that
 * no more will be written. */
static void drain(const struct fxt_sampler *sampler, bool is_last)
{
    struct perf *p = sampler->state;
    uint64_t now = regions_now();

    for (uint32_t cpu = 0; cpu < regions.n; cpu++) {
        if (p->events.rings[cpu].page != NULL)
            drain_ring(sampler, cpu, &p->events.rings[cpu]);
    }
    perf_queue_hand_out(&p->queue, &p->events.attr, is_last ? UINT64_MAX : p->last_drain,
                        sampler->config.on_event, sampler->config.context);
    p->last_drain = now;
}

/* ---- Targets ----------------------------------------------------------------------- */

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

static enum fxt_sampler_code attach(struct fxt_sampler *sampler,
                                    enum fxt_sampler_target kind, pid_t id)
{
    struct perf *p = sampler->state;
    struct perf_target target = {kind, id};
    enum fxt_sampler_code code;

    pthread_mutex_lock(&p->lock);
    if (!is_for_us_alone(target))
        p->events.attr.build_id = 0;
    if (perf_targets_find(&p->targets, target) < p->targets.n)
        code = FXT_SAMPLER_E_ATTACHED;
    else
        code = perf_targets_add(&p->targets, &p->events, target, sampler->is_online,
                                sampler->is_running);
    pthread_mutex_unlock(&p->lock);
    return code;
}

static enum fxt_sampler_code detach(struct fxt_sampler *sampler, pid_t thread)
{
    struct perf *p = sampler->state;
    struct perf_target target = {FXT_SAMPLER_THREAD, thread};
    enum fxt_sampler_code code = FXT_SAMPLER_E_ATTACHED;
    size_t i;

    pthread_mutex_lock(&p->lock);
    i = perf_targets_find(&p->targets, target);
    if (i < p->targets.n) {
        perf_targets_remove(&p->targets, i);
        perf_events_retire(&p->events, target);
        code = FXT_SAMPLER_OK;
    }
    pthread_mutex_unlock(&p->lock);
    return code;
}

/* ---- While it runs ----------------------------------------------------------------- */

static void look_for_cpus(struct fxt_sampler *sampler)
{
    struct perf *p = sampler->state;

    if (session_look_for_cpus(sampler, p->came))
        perf_targets_add_cpus(&p->targets, &p->events, p->came, sampler->is_running);
}

static void *run_drainer(void *context)
{
    struct fxt_sampler *sampler = context;
    struct perf *p = sampler->state;
    uint64_t last_look = regions_now();

    while (!atomic_load(&p->quit)) {
        nanosleep(&drain_pause, NULL);
        pthread_mutex_lock(&p->lock);
        drain(sampler, false);
        if (regions_now() - last_look >= NS_BETWEEN_LOOKS) {
            last_look = regions_now();
            look_for_cpus(sampler);
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
    perf_events_start(&p->events);
    pthread_mutex_unlock(&p->lock);
    return FXT_SAMPLER_OK;
}

/* A disabled event writes nothing more, on whatever CPU it was. */
static void stop(struct fxt_sampler *sampler)
{
    struct perf *p = sampler->state;

    pthread_mutex_lock(&p->lock);
    perf_events_stop(&p->events);
    pthread_mutex_unlock(&p->lock);
    atomic_store(&p->quit, true);
    pthread_join(p->drainer, NULL);
    drain(sampler, true);
    regions_close_gates();
}

/* ---- The session ------------------------------------------------------------------- */

static void close_perf(struct fxt_sampler *sampler)
{
    struct perf *p = sampler->state;

    perf_events_free(&p->events);
    perf_targets_free(&p->targets);
    perf_queue_free(&p->queue);
    pthread_mutex_destroy(&p->lock);
    free(p->came);
    free(p);
}

/* The child's copies of files and of all other memory are its own to close. */
static void forget_perf(struct fxt_sampler *sampler)
{
    struct perf *p = sampler->state;

    perf_events_forget(&p->events);
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
    pthread_mutex_init(&p->lock, NULL);
    sampler->state = p;
    p->came = calloc(regions.n, sizeof(*p->came));
    if (p->came != NULL && perf_events_init(&p->events, &attr))
        return FXT_SAMPLER_OK;
    close_perf(sampler);
    return FXT_SAMPLER_E_RESOURCES;
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
    struct perf_target system = {FXT_SAMPLER_SYSTEM, 0};

    return !p->events.attr.exclude_kernel && !p->events.attr.exclude_user &&
           perf_targets_find(&p->targets, system) == p->targets.n;
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
        times = perf_events_times(&p->events);
    pthread_mutex_unlock(&p->lock);
    if (is_known)
        counts->cpu_ns = times.passed;
    if (has_cycles)
        counts->uncounted_ns = uncounted(&times);
}

const struct method method_perf = {
    .number = FXT_SAMPLER_PERF,
    .open = open_perf,
    .attach = attach,
    .detach = detach,
    .start = start,
    .stop = stop,
    .take_times = take_times,
    .close = close_perf,
    .forget = forget_perf,
};
