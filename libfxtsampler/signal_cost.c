/* SPDX-License-Identifier: BSD-2-Clause */
/* See signal_cost.h. */
#include "signal_cost.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "thread_timer.h"

/* Each signal starts the timer for the next one, which comes sooner than this one is
 * over. This is abandoned after a time: a runtime such as a sanitizer's may delay
 * signals. */
enum { N_SIGNALS = 17, SHORT_NS = 1000, PATIENCE_NS = 20000000 };

static atomic_uint_fast64_t cost_ns;
static bool is_measured;

/* When the thread got each signal, by its CPU time. Only it sees them while it waits. */
static volatile uint64_t times[N_SIGNALS];
static volatile sig_atomic_t n_times;
static int timer;

uint64_t signal_cost_own_cpu_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t signal_cost_ns(void)
{
    return atomic_load(&cost_ns);
}

/* A last signal may come when all of it is over. */
void signal_cost_take(void)
{
    if (n_times >= N_SIGNALS)
        return;
    times[n_times] = signal_cost_own_cpu_time();
    n_times = n_times + 1;
    if (n_times < N_SIGNALS)
        thread_timer_start(timer, SHORT_NS, 0);
}

static void await_signals(void)
{
    uint64_t end_ns = signal_cost_own_cpu_time() + PATIENCE_NS;
    sigset_t set;
    sigset_t before;

    sigemptyset(&set);
    sigaddset(&set, SIGPROF);
    pthread_sigmask(SIG_UNBLOCK, &set, &before);
    thread_timer_start(timer, SHORT_NS, 0);
    while (n_times < N_SIGNALS && signal_cost_own_cpu_time() < end_ns)
        continue;
    thread_timer_set(timer, 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* The median: the first ones run with cold caches. */
static uint64_t find_cost(void)
{
    uint64_t costs[N_SIGNALS];
    size_t n = 0;

    for (int i = 1; i < n_times; i++)
        costs[n++] = times[i] - times[i - 1];
    qsort(costs, n, sizeof(costs[0]), compare);
    return n > 0 ? costs[n / 2] : 0;
}

static bool has_fast_timers(void)
{
    struct timespec resolution;

    return clock_getres(CLOCK_MONOTONIC, &resolution) == 0 && resolution.tv_sec == 0 &&
           resolution.tv_nsec == 1;
}

bool signal_cost_measure(void)
{
    pid_t thread = (pid_t)syscall(SYS_gettid);

    if (is_measured || !has_fast_timers())
        return true;
    if (!thread_timer_make(CLOCK_MONOTONIC, thread, SIGNAL_COST_VALUE, &timer))
        return false;
    await_signals();
    thread_timer_delete(timer);
    /* Signals that arrive now are too late. */
    atomic_store(&cost_ns, find_cost());
    n_times = N_SIGNALS;
    is_measured = true;
    return true;
}
