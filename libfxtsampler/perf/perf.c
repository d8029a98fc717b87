/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling by the kernel's perf events: a clock for each target on each CPU, whose
 * records go to one ring a CPU, which a thread of the session drains into the regions.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "perf_attr.h"
#include "perf_backlog.h"
#include "perf_merge.h"
#include "perf_record.h"
#include "perf_sample.h"
#include "perf_targets.h"
#include "perf_unwind.h"
#include "libfxtsampler/session.h"

/* A session's. */
struct perf {
    /* What the functions of a method and the thread that drains share, all of it. */
    pthread_mutex_t lock;
    struct perf_events events;
    struct perf_targets targets;
    bool *came;
    struct perf_unwinder *unwinder;
    /* For perf_merge. */
    uint64_t *next_times;
    /* A record while a table is made for it, and those that come in this time. */
    unsigned char *held;
    struct perf_backlog backlog;
    /* The sample that is being processed; apart, as they are large. */
    struct perf_sample sample;
    struct perf_stack stack;
    pthread_t drainer;
    atomic_bool quit;
};

/* Often enough for a ring of the smallest period, and seldom enough to cost nothing; and
 * how often CPUs are looked for. */
static const struct timespec drain_pause = {.tv_nsec = 10000000};
enum { NS_BETWEEN_LOOKS = 500000000 };

/* ---- Events ------------------------------------------------------------------------ */

static bool is_event(const struct perf_event_header *record)
{
    return record->type != PERF_RECORD_SAMPLE && record->type != PERF_RECORD_LOST &&
           record->type != PERF_RECORD_THROTTLE;
}

static bool read_event(const struct perf *p, const struct perf_event_header *record,
                       struct fxt_sampler_event *event)
{
    if (!perf_read_event(record, &p->events.attr, event))
        return false;
    event->time_ns = perf_read_time(record);
    return true;
}

static void report_event(const struct fxt_sampler *sampler,
                         const struct perf_event_header *record)
{
    struct fxt_sampler_event event;

    if (sampler->config.on_event != NULL && is_event(record) &&
        read_event(sampler->state, record, &event))
        sampler->config.on_event(sampler->config.context, &event);
}

static void follow_event(struct perf *p, const struct perf_event_header *record)
{
    struct fxt_sampler_event event;
    pid_t process;

    if (record->type == PERF_RECORD_EXIT && perf_read_exit(record, &process))
        perf_unwinder_take_exit(p->unwinder, process);
    else if (read_event(p, record, &event))
        perf_unwinder_take_event(p->unwinder, &event);
}

/* ---- While a table is made --------------------------------------------------------- */

/* How long a record may take from when it was made to when it is in its ring. */
enum { HOLD_BACK_NS = 3000000 };

static uint64_t settled_time(void)
{
    return regions_now() - HOLD_BACK_NS;
}

static enum perf_taken put_off(void *context, uint32_t cpu,
                               const struct perf_event_header *record)
{
    const struct fxt_sampler *sampler = context;
    struct perf *p = sampler->state;

    if (!perf_backlog_add(&p->backlog, cpu, record))
        return PERF_LEFT;
    report_event(sampler, record);
    return PERF_TAKEN;
}

/* Rings must not fill up, and events not wait: a file is opened when the kernel reports
 * it, and may be deleted soon after. */
static void wait_for_table(void *context)
{
    const struct fxt_sampler *sampler = context;
    struct perf *p = sampler->state;

    perf_merge(p->events.rings, p->next_times, regions.n, settled_time(), put_off,
               context);
}

/* ---- Draining ---------------------------------------------------------------------- */

/* A record that is being processed. */
struct taken_record {
    const struct fxt_sampler *sampler;
    uint32_t cpu;
    const struct perf_event_header *record;
    /* It is a copy. */
    bool is_held;
};

/* The record leaves its ring, which others may then leave, too. */
static void hold(struct taken_record *taken)
{
    struct perf *p = taken->sampler->state;

    if (taken->is_held)
        return;
    memcpy(p->held, taken->record, taken->record->size);
    perf_ring_drop(&p->events.rings[taken->cpu], taken->record);
    taken->record = (const struct perf_event_header *)(const void *)p->held;
    taken->is_held = true;
}

static bool take_sample(struct taken_record *taken)
{
    struct perf *p = taken->sampler->state;
    const struct perf_event_attr *attr = &p->events.attr;
    struct perf_sample *sample = &p->sample;
    struct perf_stack *stack = &p->stack;
    enum perf_unwound unwound;

    if (!perf_sample_read(taken->record, attr, sample))
        return false;
    while ((unwound = perf_unwinder_unwind(p->unwinder, sample, stack)) ==
           PERF_NEEDS_TABLE) {
        hold(taken);
        perf_sample_read(taken->record, attr, sample);
        perf_unwinder_build(p->unwinder, wait_for_table,
                            (void *)(uintptr_t)taken->sampler);
    }
    if (unwound == PERF_NO_MEMORY)
        return false;
    regions_write(taken->cpu, sample->time, sample->process, sample->thread, stack->pcs,
                  stack->n_pcs, stack->end);
    return true;
}

static void process(struct taken_record *taken)
{
    struct region *region = &regions.all[taken->cpu];
    uint64_t n_lost;

    if (taken->record->type == PERF_RECORD_SAMPLE) {
        if (!take_sample(taken))
            regions_lose(region, &region->lost, 1);
    } else if (taken->record->type == PERF_RECORD_LOST) {
        if (perf_read_lost(taken->record, &n_lost))
            regions_lose(region, &region->lost, n_lost);
    } else if (taken->record->type == PERF_RECORD_THROTTLE) {
        regions_count(&region->throttled, 1);
    } else {
        follow_event(taken->sampler->state, taken->record);
    }
}

/* What was put off comes before everything that is still in the rings. */
static void process_backlog(const struct fxt_sampler *sampler)
{
    struct perf *p = sampler->state;
    struct taken_record taken = {.sampler = sampler, .is_held = true};

    taken.record = (const struct perf_event_header *)(const void *)p->held;
    while (perf_backlog_take(&p->backlog, &taken.cpu, p->held))
        process(&taken);
}

static enum perf_taken take_record(void *context, uint32_t cpu,
                                   const struct perf_event_header *record)
{
    const struct fxt_sampler *sampler = context;
    struct taken_record taken = {sampler, cpu, record, false};

    report_event(sampler, record);
    process(&taken);
    if (!taken.is_held)
        return PERF_TAKEN;
    process_backlog(sampler);
    return PERF_TAKEN_OUT;
}

/* `is_last` means that no more will be written. */
static void drain(const struct fxt_sampler *sampler, bool is_last)
{
    struct perf *p = sampler->state;
    uint64_t before = is_last ? UINT64_MAX : settled_time();

    perf_merge(p->events.rings, p->next_times, regions.n, before, take_record,
               (void *)(uintptr_t)sampler);
}

/* ---- What processes have mapped already -------------------------------------------- */

/* The events are enabled, so that what changes from now on is reported. */
static void read_target(struct perf *p, struct perf_target target)
{
    if (target.kind == FXT_SAMPLER_PROCESS)
        perf_unwinder_read_process(p->unwinder, target.id);
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
    if (code == FXT_SAMPLER_OK && sampler->is_running)
        read_target(p, target);
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
    perf_events_start(&p->events);
    for (size_t i = 0; i < p->targets.n; i++)
        read_target(p, p->targets.all[i]);
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
    perf_unwinder_destroy(p->unwinder);
    pthread_mutex_destroy(&p->lock);
    free(p->came);
    free(p->next_times);
    free(p->held);
    perf_backlog_free(&p->backlog);
    free(p);
}

/* The child's copies of files and of all other memory are its own to close. */
static void forget_perf(struct fxt_sampler *sampler)
{
    struct perf *p = sampler->state;

    perf_events_forget(&p->events);
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
    pthread_mutex_init(&p->lock, NULL);
    sampler->state = p;
    p->came = calloc(regions.n, sizeof(*p->came));
    p->next_times = calloc(regions.n, sizeof(*p->next_times));
    p->held = malloc(PERF_RECORD_BYTES_MAX);
    p->unwinder = perf_unwinder_create();
    if (p->came != NULL && p->next_times != NULL && p->held != NULL &&
        p->unwinder != NULL && perf_events_init(&p->events, &attr))
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
