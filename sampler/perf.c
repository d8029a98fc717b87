/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling by the kernel's perf events: a clock for each target on each CPU, whose
 * records go to one ring a CPU, which a thread of the session drains into the regions.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "perf_attr.h"
#include "perf_queue.h"
#include "perf_ring.h"
#include "session.h"

struct attached {
    enum fxt_sampler_target target;
    pid_t id;
};

/* An event: a target, or a thread of one, on a CPU. */
struct counter {
    int event;
    uint32_t cpu;
    struct attached attached;
};

/* A session's. */
struct perf {
    struct perf_event_attr attr;
    /* What the functions of a method and the thread that drains share, all of it. */
    pthread_mutex_t lock;
    struct counter *counters;
    size_t n_counters;
    size_t counter_capacity;
    struct attached *targets;
    size_t n_targets;
    size_t target_capacity;
    /* A ring for each CPU, regions.n of them, and the event that it belongs to. */
    struct perf_ring *rings;
    int *ring_events;
    bool *came;
    /* What is to be said of processes, and when the rings were drained last. */
    struct perf_queue queue;
    uint64_t last_drain;
    pthread_t drainer;
    atomic_bool quit;
};

/* Often enough for a ring of the smallest period, and seldom enough to cost nothing. */
static const struct timespec drain_pause = {.tv_nsec = 10000000};
enum { DRAINS_BETWEEN_LOOKS = 50 };

/* ---- Draining ---------------------------------------------------------------------- */

static void take_lost(struct region *region, uint64_t n)
{
    region->last_loss = regions_now();
    if (atomic_fetch_add(&region->lost, n) == 0)
        region->first_loss = region->last_loss;
}

static void take_record(const struct fxt_sampler *sampler, uint32_t cpu,
                        const struct perf_event_header *record)
{
    struct perf *p = sampler->state;
    struct perf_sample sample;
    uint64_t n_lost;

    if (record->type == PERF_RECORD_SAMPLE) {
        if (perf_read_sample(record, &sample))
            regions_write(cpu, sample.time, sample.process, sample.thread, sample.pcs,
                          sample.n_pcs);
    } else if (record->type == PERF_RECORD_LOST) {
        if (perf_read_lost(record, &n_lost))
            take_lost(&regions.all[cpu], n_lost);
    } else if (record->type == PERF_RECORD_THROTTLE) {
        regions_count(&regions.all[cpu].throttled, 1);
    } else if (sampler->config.on_event != NULL && !perf_queue_add(&p->queue, record)) {
        take_lost(&regions.all[cpu], 1);
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

/* What was written to any ring before the last time is in order now; `is_last` says that
 * there is nothing more to come. */
static void drain(const struct fxt_sampler *sampler, bool is_last)
{
    struct perf *p = sampler->state;
    uint64_t now = regions_now();

    for (uint32_t cpu = 0; cpu < regions.n; cpu++) {
        if (p->rings[cpu].page != NULL)
            drain_ring(sampler, cpu, &p->rings[cpu]);
    }
    perf_queue_hand_out(&p->queue, is_last ? UINT64_MAX : p->last_drain,
                        sampler->config.on_event, sampler->config.context);
    p->last_drain = now;
}

/* ---- Counters ---------------------------------------------------------------------- */

static bool keep_counter(struct perf *p, struct counter counter)
{
    if (p->n_counters == p->counter_capacity) {
        size_t capacity = p->counter_capacity > 0 ? 2 * p->counter_capacity : 64;
        struct counter *counters = realloc(p->counters, capacity * sizeof(*counters));

        if (counters == NULL)
            return false;
        p->counters = counters;
        p->counter_capacity = capacity;
    }
    p->counters[p->n_counters++] = counter;
    return true;
}

/* Gives the CPU a ring if it has none, else leads the event's records to the one that it
 * has. */
static bool lead_to_ring(struct perf *p, struct counter counter)
{
    if (p->rings[counter.cpu].page != NULL)
        return ioctl(counter.event, PERF_EVENT_IOC_SET_OUTPUT,
                     p->ring_events[counter.cpu]) == 0;
    if (!perf_ring_map(&p->rings[counter.cpu], counter.event))
        return false;
    p->ring_events[counter.cpu] = counter.event;
    return true;
}

/* An event that a ring belongs to stays open as long as the ring. */
static void close_counter(struct perf *p, struct counter counter)
{
    if (p->rings[counter.cpu].page != NULL &&
        p->ring_events[counter.cpu] == counter.event)
        perf_ring_unmap(&p->rings[counter.cpu]);
    close(counter.event);
}

/* Takes away what was opened last, down to `n`. */
static void close_counters(struct perf *p, size_t n)
{
    while (p->n_counters > n)
        close_counter(p, p->counters[--p->n_counters]);
}

/* Opens a target's event on a CPU; on failure sets errno. */
static bool open_counter(struct fxt_sampler *sampler, struct attached attached,
                         pid_t thread, uint32_t cpu)
{
    struct perf *p = sampler->state;
    struct perf_event_attr attr = p->attr;
    struct counter counter = {.cpu = cpu, .attached = attached};

    attr.inherit = attached.target == FXT_SAMPLER_PROCESS;
    attr.exclude_idle = attached.target == FXT_SAMPLER_SYSTEM;
    counter.event = perf_attr_open(
        &attr, attached.target == FXT_SAMPLER_SYSTEM ? -1 : thread, (int)cpu);
    if (counter.event < 0)
        return false;
    if (!lead_to_ring(p, counter) || !keep_counter(p, counter)) {
        int error = errno;

        close_counter(p, counter);
        errno = error;
        return false;
    }
    if (sampler->is_running)
        ioctl(counter.event, PERF_EVENT_IOC_ENABLE, 0);
    return true;
}

/* On every CPU, or those that came: one that went since is nobody's fault. */
static bool open_counters(struct fxt_sampler *sampler, struct attached attached,
                          pid_t thread, const bool *cpus)
{
    for (uint32_t cpu = 0; cpu < regions.n; cpu++) {
        if (cpus[cpu] && !open_counter(sampler, attached, thread, cpu) && errno != ENODEV)
            return false;
    }
    return true;
}

/* ---- Targets ----------------------------------------------------------------------- */

/* The threads of a process, sorted by nothing. */
struct threads {
    pid_t *all;
    size_t n;
    size_t capacity;
};

static bool add_thread(struct threads *threads, pid_t thread)
{
    for (size_t i = 0; i < threads->n; i++) {
        if (threads->all[i] == thread)
            return true;
    }
    if (threads->n == threads->capacity) {
        size_t capacity = threads->capacity > 0 ? 2 * threads->capacity : 64;
        pid_t *all = realloc(threads->all, capacity * sizeof(*all));

        if (all == NULL)
            return false;
        threads->all = all;
        threads->capacity = capacity;
    }
    threads->all[threads->n++] = thread;
    return true;
}

static bool list_threads(pid_t process, struct threads *threads)
{
    char path[64];
    DIR *directory;
    const struct dirent *entry;
    bool listed = true;

    snprintf(path, sizeof(path), "/proc/%ld/task", (long)process);
    directory = opendir(path);
    if (directory == NULL) {
        errno = errno == ENOENT ? ESRCH : errno;
        return false;
    }
    while (listed && (entry = readdir(directory)) != NULL) {
        pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);

        listed = thread <= 0 || add_thread(threads, thread);
    }
    closedir(directory);
    return listed;
}

/* The threads that a process has, and then those that were started meanwhile by threads
 * that had no event yet, until there are no new ones. One that has ended is no failure,
 * unless it was all there was. */
static bool open_process(struct fxt_sampler *sampler, struct attached attached,
                         const bool *cpus)
{
    struct threads threads = {NULL, 0, 0};
    size_t n = 0;
    size_t n_opened = 0;
    bool good = list_threads(attached.id, &threads);

    while (good && n < threads.n) {
        for (; good && n < threads.n; n++) {
            if (open_counters(sampler, attached, threads.all[n], cpus))
                n_opened++;
            else if (errno != ESRCH)
                good = false;
        }
        good = good && (list_threads(attached.id, &threads) || errno == ESRCH);
    }
    if (good && n_opened == 0) {
        errno = ESRCH;
        good = false;
    }
    free(threads.all);
    return good;
}

static bool open_target(struct fxt_sampler *sampler, struct attached attached,
                        const bool *cpus)
{
    if (attached.target == FXT_SAMPLER_PROCESS)
        return open_process(sampler, attached, cpus);
    return open_counters(sampler, attached, attached.id, cpus);
}

static bool keep_target(struct perf *p, struct attached attached)
{
    if (p->n_targets == p->target_capacity) {
        size_t capacity = p->target_capacity > 0 ? 2 * p->target_capacity : 16;
        struct attached *targets = realloc(p->targets, capacity * sizeof(*targets));

        if (targets == NULL)
            return false;
        p->targets = targets;
        p->target_capacity = capacity;
    }
    p->targets[p->n_targets++] = attached;
    return true;
}

static size_t find_target(const struct perf *p, struct attached attached)
{
    size_t i = 0;

    while (i < p->n_targets &&
           (p->targets[i].target != attached.target || p->targets[i].id != attached.id))
        i++;
    return i;
}

static enum fxt_sampler_code attach(struct fxt_sampler *sampler,
                                    enum fxt_sampler_target target, pid_t id)
{
    struct perf *p = sampler->state;
    struct attached attached = {target, id};
    enum fxt_sampler_code code = FXT_SAMPLER_OK;
    size_t n;

    if (find_target(p, attached) < p->n_targets)
        return FXT_SAMPLER_E_ATTACHED;
    pthread_mutex_lock(&p->lock);
    n = p->n_counters;
    if (!open_target(sampler, attached, sampler->is_online))
        code = perf_attr_code(errno);
    else if (!keep_target(p, attached))
        code = FXT_SAMPLER_E_RESOURCES;
    if (code != FXT_SAMPLER_OK)
        close_counters(p, n);
    pthread_mutex_unlock(&p->lock);
    return code;
}

/* Its events stay open, since rings may belong to them, but are not switched on again. */
static enum fxt_sampler_code detach(struct fxt_sampler *sampler, pid_t thread)
{
    struct perf *p = sampler->state;
    struct attached attached = {FXT_SAMPLER_THREAD, thread};
    size_t i = find_target(p, attached);

    if (i == p->n_targets)
        return FXT_SAMPLER_E_ATTACHED;
    pthread_mutex_lock(&p->lock);
    p->targets[i] = p->targets[--p->n_targets];
    for (i = 0; i < p->n_counters; i++) {
        struct counter *counter = &p->counters[i];

        if (counter->attached.target != attached.target ||
            counter->attached.id != attached.id)
            continue;
        ioctl(counter->event, PERF_EVENT_IOC_DISABLE, 0);
        counter->attached.id = 0;
    }
    pthread_mutex_unlock(&p->lock);
    return FXT_SAMPLER_OK;
}

/* ---- While it runs ----------------------------------------------------------------- */

/* Targets get events on CPUs that came. Children that are sampled by inheritance get none
 * there: nobody knows them. */
static void look_for_cpus(struct fxt_sampler *sampler)
{
    struct perf *p = sampler->state;

    if (!session_look_for_cpus(sampler, p->came))
        return;
    for (size_t i = 0; i < p->n_targets; i++)
        open_target(sampler, p->targets[i], p->came);
}

static void *run_drainer(void *context)
{
    struct fxt_sampler *sampler = context;
    struct perf *p = sampler->state;

    for (unsigned n = 1; !atomic_load(&p->quit); n++) {
        nanosleep(&drain_pause, NULL);
        pthread_mutex_lock(&p->lock);
        drain(sampler, false);
        if (n % DRAINS_BETWEEN_LOOKS == 0)
            look_for_cpus(sampler);
        pthread_mutex_unlock(&p->lock);
    }
    return NULL;
}

static void switch_all(const struct perf *p, unsigned long request)
{
    for (size_t i = 0; i < p->n_counters; i++) {
        const struct counter *counter = &p->counters[i];

        if (counter->attached.id != 0 || counter->attached.target == FXT_SAMPLER_SYSTEM)
            ioctl(counter->event, request, 0);
    }
}

static enum fxt_sampler_code start(struct fxt_sampler *sampler)
{
    struct perf *p = sampler->state;

    atomic_store(&p->quit, false);
    if (pthread_create(&p->drainer, NULL, run_drainer, sampler) != 0)
        return FXT_SAMPLER_E_RESOURCES;
    pthread_mutex_lock(&p->lock);
    switch_all(p, PERF_EVENT_IOC_ENABLE);
    pthread_mutex_unlock(&p->lock);
    return FXT_SAMPLER_OK;
}

/* An event that was switched off writes nothing more, on whatever CPU it was. */
static void stop(struct fxt_sampler *sampler)
{
    struct perf *p = sampler->state;

    pthread_mutex_lock(&p->lock);
    switch_all(p, PERF_EVENT_IOC_DISABLE);
    pthread_mutex_unlock(&p->lock);
    atomic_store(&p->quit, true);
    pthread_join(p->drainer, NULL);
    drain(sampler, true);
    regions_close_gates();
}

/* ---- The session ------------------------------------------------------------------- */

static void free_state(struct perf *p)
{
    perf_queue_free(&p->queue);
    free(p->counters);
    free(p->targets);
    free(p->rings);
    free(p->ring_events);
    free(p->came);
    free(p);
}

static enum fxt_sampler_code open_perf(struct fxt_sampler *sampler)
{
    struct perf_event_attr attr;
    enum fxt_sampler_code code;
    struct perf *p;

    code = perf_attr_find(sampler, &attr);
    if (code != FXT_SAMPLER_OK)
        return code;
    p = calloc(1, sizeof(*p));
    if (p == NULL)
        return FXT_SAMPLER_E_RESOURCES;
    p->attr = attr;
    p->rings = calloc(regions.n, sizeof(*p->rings));
    p->ring_events = calloc(regions.n, sizeof(*p->ring_events));
    p->came = calloc(regions.n, sizeof(*p->came));
    if (p->rings == NULL || p->ring_events == NULL || p->came == NULL) {
        free_state(p);
        return FXT_SAMPLER_E_RESOURCES;
    }
    pthread_mutex_init(&p->lock, NULL);
    sampler->state = p;
    return FXT_SAMPLER_OK;
}

static void close_perf(struct fxt_sampler *sampler)
{
    struct perf *p = sampler->state;

    close_counters(p, 0);
    pthread_mutex_destroy(&p->lock);
    free_state(p);
}

const struct method method_perf = {
    .number = FXT_SAMPLER_PERF,
    .open = open_perf,
    .attach = attach,
    .detach = detach,
    .start = start,
    .stop = stop,
    .close = close_perf,
    /* The child's copies of files and memory are its own to close. */
    .forget = close_perf,
};
