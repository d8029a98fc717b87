/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What CPUs and threads do, from scheduling events in the order of time: which thread a
 * CPU runs and since when, and where a thread is that does not run: it waits for a CPU,
 * or it is blocked, and another thread wakes it.
 *
 * Nothing is known of a CPU before its first context switch, and of a thread before the
 * first event that names it, which may be one that it waits already: then its wait counts
 * from there on. After the last event all is assumed to stay as it is until
 * the end of the trace, unless records were dropped.
 *
 * Where events contradict each other, since a switch was not recorded, the time since the
 * last one that is certain counts as unknown.
 */
#ifndef SCHEDULING_SCHED_STATES_H
#define SCHEDULING_SCHED_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/table.h"
#include "sched_event.h"

/* A thread for which there is no room. */
#define SCHED_NO_THREAD UINT32_MAX

enum sched_wait_kind {
    /* It was switched out and could have run on. */
    SCHED_PREEMPTED,
    SCHED_BLOCKED,
    SCHED_SUSPENDED,
    /* The first that is known of it is that it was woken. */
    SCHED_STARTED,
    /* A switch was not recorded. */
    SCHED_UNKNOWN
};

/* The time from when a thread stops running to when it runs again. */
struct sched_wait {
    enum sched_wait_kind kind;
    /* The thread's number, and the CPU that it ran on; if it has not run yet, that which
     * it was to run on when it was woken. */
    uint32_t thread;
    uint32_t cpu;
    uint64_t from_ns;
    uint64_t to_ns;
    /* It was woken at a time, by a thread whose koid is 0 if it is not known. A thread
     * that was started is woken at from_ns. In a trace that begins while it waits, it may
     * have been woken some time before from_ns. */
    bool is_woken;
    uint64_t woken_ns;
    uint64_t woken_before_ns;
    uint64_t waker;
    /* The trace ended before it ran again. */
    bool is_open;
};

enum sched_cpu_state {
    /* There was no event yet. */
    SCHED_CPU_UNSEEN,
    SCHED_CPU_BUSY,
    SCHED_CPU_IDLE,
    SCHED_CPU_UNKNOWN
};

/* The time for which a CPU ran one thread, was idle, or it is not known what it did. No
 * time counts only at the end of a trace. */
struct sched_run {
    enum sched_cpu_state state;
    uint32_t cpu;
    /* The thread's number if it was busy; it may be SCHED_NO_THREAD. */
    uint32_t thread;
    uint64_t from_ns;
    uint64_t to_ns;
    /* In which state the thread was left, as in struct sched_event; SCHED_STATE_GOES_ON
     * where the trace ends while it runs. */
    uint8_t state_after;
};

enum { SCHED_STATE_GOES_ON = 0xff };

enum sched_thread_state { SCHED_THREAD_UNSEEN, SCHED_THREAD_RUNS, SCHED_THREAD_WAITS };

struct sched_thread {
    uint64_t koid;
    enum sched_thread_state state;
    /* The CPU that it ran on last. */
    bool has_cpu;
    uint32_t cpu;
    /* Since when it runs. */
    uint64_t since_ns;
    /* What is known of its wait so far. */
    struct sched_wait wait;
    /* How often it was switched to, and how often on another CPU than before. */
    uint64_t n_switches;
    uint64_t n_migrations;
};

struct sched_cpu {
    enum sched_cpu_state state;
    uint64_t since_ns;
    uint64_t koid;
    uint32_t thread;
};

struct sched_states {
    /* How many threads are followed at most; 0 for all. */
    size_t max_threads;
    void (*on_run)(void *context, const struct sched_run *run);
    void (*on_wait)(void *context, const struct sched_wait *wait);
    void *context;

    /* Whether the next event's switches and migrations are not counted: it is not in the
     * times that are wanted. */
    bool is_outside;
    struct sched_thread *threads;
    size_t n_threads;
    size_t thread_capacity;
    struct table thread_table;
    struct sched_cpu *cpus;
    size_t n_cpus;
    size_t cpu_capacity;
    uint64_t last_ns;

    /* Switches that contradict what was recorded before. */
    uint64_t n_lost;
    /* Threads that were switched to after they had blocked, without a wakeup; and wakeups
     * of threads that were not blocked. */
    uint64_t n_without_wakeup;
    uint64_t n_needless_wakeups;
    /* Wakeups and switches of threads for which there was no room. */
    uint64_t n_no_room;
};

/* All zero but for the members up to `context`, none of which may be NULL, is the start.
 */

/* The next event in the order of time. */
void sched_states_take(struct sched_states *states, const struct sched_event *event);

/* The last event of a trace was taken. If `is_cut`, there may have been events after it
 * that were dropped. Threads of another trace may follow. */
void sched_states_end(struct sched_states *states, bool is_cut);

void sched_states_free(struct sched_states *states);

#endif
