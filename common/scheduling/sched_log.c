/* SPDX-License-Identifier: BSD-2-Clause */
/* See sched_log.h. */
#include "sched_log.h"

#include <string.h>

#include "common/base/priority_queue.h"
#include "common/base/sort.h"

SORT_ORDER(order_events, struct sched_event, BY(time_ns) || BY(order));

static size_t run_length(const struct sched_log *log)
{
    return log->run_length > 0 ? log->run_length : SCHED_LOG_RUN;
}

static void sort_run(struct sched_log *log)
{
    if (log->is_unsorted)
        SORT(log->events, log->n_events, order_events);
    log->is_unsorted = false;
}

static void end_run(struct sched_log *log)
{
    sort_run(log);
    text_add(&log->runs.bytes, log->events, log->n_events * sizeof(*log->events));
    if (!log->is_stuck)
        log->is_stuck = !spill_move(&log->runs);
    log->n_runs++;
    log->n_events = 0;
}

static void check_order(struct sched_log *log, const struct sched_event *event)
{
    uint64_t *last;

    while (log->n_cpus <= event->cpu) {
        MEMORY_ADD(log->last_by_cpu, log->n_cpus, log->cpu_capacity, 0);
    }
    last = &log->last_by_cpu[event->cpu];
    if (event->time_ns < *last)
        log->n_backwards++;
    else
        *last = event->time_ns;
}

void sched_log_add(struct sched_log *log, struct sched_event event)
{
    /* Wakeups have the CPU that the thread is to run on, and drops come late. */
    if (event.kind == SCHED_SWITCH)
        check_order(log, &event);
    if (log->n_events == run_length(log))
        end_run(log);
    event.order = log->n_added++;
    log->events = memory_grow(log->events, log->n_events, &log->event_capacity,
                              sizeof(*log->events));
    if (log->n_events > 0 && event.time_ns < log->events[log->n_events - 1].time_ns)
        log->is_unsorted = true;
    log->events[log->n_events++] = event;
}

/* ---- Merging ----------------------------------------------------------------------- */

/* A run, of which part is in memory. */
struct run_reader {
    /* The next event that is not in memory, and the end: places among all events. */
    uint64_t next;
    uint64_t end;
    struct sched_event window[SCHED_LOG_WINDOW];
    size_t at;
    size_t n;
};

static void read_bytes(const struct sched_log *log, uint64_t offset, void *to,
                       size_t size)
{
    unsigned char *bytes = (unsigned char *)to;

    while (size > 0) {
        size_t n = spill_read(&log->runs, offset, bytes, size);

        bytes += n;
        offset += n;
        size -= n;
    }
}

/* Returns false at the run's end. */
static bool fill_window(const struct sched_log *log, struct run_reader *r)
{
    uint64_t n = r->end - r->next;

    r->at = 0;
    r->n = n < SCHED_LOG_WINDOW ? (size_t)n : SCHED_LOG_WINDOW;
    read_bytes(log, r->next * sizeof(*r->window), r->window, r->n * sizeof(*r->window));
    r->next += r->n;
    return r->n > 0;
}

/* The queue prefers the highest item of equal keys: that is to be the first run. */
static void merge_runs(struct sched_log *log, sched_log_fn *take, void *context)
{
    struct priority_queue queue = {NULL, 0, 0};
    struct run_reader *readers = memory_allocate(log->n_runs * sizeof(*readers));

    for (size_t i = 0; i < log->n_runs; i++) {
        struct run_reader *r = &readers[i];

        r->next = (log->n_runs - 1 - i) * (uint64_t)run_length(log);
        r->end = r->next + run_length(log);
        if (r->end > spill_size(&log->runs) / sizeof(*r->window))
            r->end = spill_size(&log->runs) / sizeof(*r->window);
        if (fill_window(log, r))
            priority_queue_push(&queue, r->window[0].time_ns, i);
    }
    while (queue.n > 0) {
        size_t i = queue.entries[0].item;
        struct run_reader *r = &readers[i];

        take(context, &r->window[r->at++]);
        if (r->at < r->n || fill_window(log, r))
            priority_queue_set_first(&queue, r->window[r->at].time_ns);
        else
            priority_queue_pop(&queue);
    }
    priority_queue_free(&queue);
    memory_release(readers);
}

void sched_log_replay(struct sched_log *log, sched_log_fn *take, void *context)
{
    if (log->n_runs > 0) {
        end_run(log);
        merge_runs(log, take, context);
    } else {
        sort_run(log);
        for (size_t i = 0; i < log->n_events; i++)
            take(context, &log->events[i]);
    }
    spill_free(&log->runs);
    log->n_runs = 0;
    log->n_events = 0;
    log->n_added = 0;
    log->is_stuck = false;
    for (size_t i = 0; i < log->n_cpus; i++)
        log->last_by_cpu[i] = 0;
}

void sched_log_free(struct sched_log *log)
{
    spill_free(&log->runs);
    memory_release(log->events);
    memory_release(log->last_by_cpu);
}

/* ---- Traces ------------------------------------------------------------------------ */

void sched_traces_start_stream(struct sched_traces *t, bool is_archive)
{
    if (t->n > 0 && !is_archive && !t->all[t->n - 1]->is_archive)
        return;
    MEMORY_ADD(t->all, t->n, t->capacity, memory_allocate(sizeof(**t->all)));
    t->all[t->n - 1]->is_archive = is_archive;
}

void sched_traces_free(struct sched_traces *t)
{
    for (size_t i = 0; i < t->n; i++) {
        sched_log_free(&t->all[i]->log);
        memory_release(t->all[i]);
    }
    memory_release(t->all);
}
