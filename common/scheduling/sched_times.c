/* SPDX-License-Identifier: BSD-2-Clause */
/* See sched_times.h. */
#include "sched_times.h"

#include <fxt/format.h>

#include "common/base/memory.h"
#include "common/base/sort.h"

/* ---- Adding up --------------------------------------------------------------------- */

static struct sched_thread_times *thread_times(struct sched_times *t, uint32_t thread)
{
    while (t->n_threads <= thread) {
        MEMORY_ADD(t->threads, t->n_threads, t->thread_capacity,
                   (struct sched_thread_times){.run_ns = 0});
    }
    return &t->threads[thread];
}

static struct sched_cpu_times *cpu_times(struct sched_times *t, uint32_t cpu)
{
    while (t->n_cpus <= cpu) {
        MEMORY_ADD(t->cpus, t->n_cpus, t->cpu_capacity,
                   (struct sched_cpu_times){.busy_ns = 0});
    }
    return &t->cpus[cpu];
}

static bool is_inside(const struct sched_times *t, uint64_t ns)
{
    return !t->has_window || (ns >= t->first_ns && ns <= t->last_ns);
}

/* The part of an interval that counts. */
static uint64_t length_of(const struct sched_times *t, uint64_t from_ns, uint64_t to_ns)
{
    if (t->has_window && from_ns < t->first_ns)
        from_ns = t->first_ns;
    if (t->has_window && to_ns > t->last_ns)
        to_ns = t->last_ns;
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

static void add_run(void *context, const struct sched_run *run)
{
    struct sched_times *t = (struct sched_times *)context;
    struct sched_cpu_times *cpu = cpu_times(t, run->cpu);
    uint64_t ns = length_of(t, run->from_ns, run->to_ns);

    if (ns == 0)
        return;
    switch (run->state) {
    case SCHED_CPU_BUSY:
        cpu->busy_ns += ns;
        if (run->thread != SCHED_NO_THREAD)
            thread_times(t, run->thread)->run_ns += ns;
        else
            t->other_run_ns += ns;
        break;
    case SCHED_CPU_IDLE:
        cpu->idle_ns += ns;
        break;
    case SCHED_CPU_UNSEEN:
    case SCHED_CPU_UNKNOWN:
        cpu->unknown_ns += ns;
        break;
    }
}

static void add_wait(void *context, const struct sched_wait *wait)
{
    struct sched_times *t = (struct sched_times *)context;
    struct sched_thread_times *thread = thread_times(t, wait->thread);
    uint64_t runnable_ns = wait->is_woken ? wait->woken_ns : wait->to_ns;

    switch (wait->kind) {
    case SCHED_PREEMPTED:
        thread->wait_ns += length_of(t, wait->from_ns, wait->to_ns);
        return;
    case SCHED_UNKNOWN:
        thread->unknown_ns += length_of(t, wait->from_ns, wait->to_ns);
        return;
    case SCHED_BLOCKED:
    case SCHED_SUSPENDED:
    case SCHED_STARTED:
        thread->blocked_ns += length_of(t, wait->from_ns, runnable_ns);
        thread->wait_ns += length_of(t, runnable_ns, wait->to_ns);
        break;
    }
    if (wait->is_woken && !wait->is_open && is_inside(t, wait->to_ns))
        latencies_add(&thread->latencies,
                      wait->to_ns - wait->woken_ns + wait->woken_before_ns);
}

/* ---- Records ----------------------------------------------------------------------- */

static void take_event(void *context, const struct sched_event *event)
{
    struct sched_times *t = (struct sched_times *)context;

    t->states.is_outside = !is_inside(t, event->time_ns);
    sched_states_take(&t->states, event);
}

void sched_times_finish(struct sched_times *t)
{
    t->states.max_threads = SCHED_TIMES_THREADS_MAX;
    t->states.on_run = add_run;
    t->states.on_wait = add_wait;
    t->states.context = t;
    sched_log_replay(&t->log, take_event, t);
    sched_states_end(&t->states, t->is_cut);
    t->is_cut = false;
    if (t->states.n_threads > 0)
        thread_times(t, (uint32_t)t->states.n_threads - 1);
}

void sched_times_take(struct sched_times *t, const struct fxt_record *record)
{
    struct sched_event event;

    if (sched_event_is_magic(record))
        sched_times_finish(t);
    t->is_cut |= sched_event_is_buffer_full(record);
    t->n_records += record->type == FXT_RECORD_SCHEDULING;
    switch (sched_event_from_record(record, &event)) {
    case SCHED_EVENT_NONE:
        break;
    case SCHED_EVENT_TAKEN:
        t->n_drops += event.kind == SCHED_DROPS;
        sched_log_add(&t->log, event);
        break;
    case SCHED_EVENT_UNUSABLE:
        t->n_unusable++;
        break;
    }
}

/* ---- Results ----------------------------------------------------------------------- */

static bool has_times(const struct sched_times *t, uint32_t number)
{
    const struct sched_thread_times *times = &t->threads[number];

    return times->run_ns > 0 || times->wait_ns > 0 || times->blocked_ns > 0 ||
           times->unknown_ns > 0 || times->latencies.n > 0 ||
           t->states.threads[number].n_switches > 0;
}

/* A thread to be sorted. */
struct sched_row {
    uint64_t run_ns;
    uint64_t koid;
    uint32_t number;
};

SORT_ORDER(order_rows, struct sched_row, BY_DESCENDING(run_ns) || BY(koid));

size_t sched_times_sort(const struct sched_times *t, uint32_t *numbers)
{
    struct sched_row *rows = memory_allocate(t->n_threads * sizeof(*rows));
    size_t n = 0;

    for (uint32_t i = 0; i < t->n_threads; i++) {
        if (has_times(t, i))
            rows[n++] =
                (struct sched_row){t->threads[i].run_ns, t->states.threads[i].koid, i};
    }
    SORT(rows, n, order_rows);
    for (size_t i = 0; i < n; i++)
        numbers[i] = rows[i].number;
    memory_release(rows);
    return n;
}

void sched_times_free(struct sched_times *t)
{
    for (size_t i = 0; i < t->n_threads; i++)
        latencies_free(&t->threads[i].latencies);
    memory_release(t->threads);
    memory_release(t->cpus);
    sched_states_free(&t->states);
    sched_log_free(&t->log);
}
