/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling by signals: timers for each thread of this process. What their signals do is
 * signal_handler.c's.
 *
 * Each thread has a timer of its CPU time, which the kernel checks only at its ticks. For
 * shorter periods it has one of wall-clock time, too. This one runs until the thread is
 * found waiting: then the other one takes over, since a waiting thread would be woken for
 * nothing, again and again, and uses CPU time again once it runs.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "session.h"
#include "signal_cost.h"
#include "signal_handler.h"
#include "thread_timer.h"
#include "throttle.h"

/* A period that would have to be stretched by more is refused: so many samples of each
 * stack would show little of what happens between. */
enum { NO_TIMER = -1, STRETCH_MAX = 100 };

struct sampled {
    pid_t thread;
    int cpu_timer;
    int wall_timer;
    /* Its CPU time when the session began to run, or it was attached later. */
    uint64_t begun_ns;
};

/* A session's. */
struct signals {
    struct sampled *threads;
    size_t n;
    size_t capacity;
    bool is_wall_clock;
    uint64_t tick_ns;
    /* The CPU time of threads that were sampled and are not any more. */
    uint64_t ended_ns;
};

/* ---- Timers ------------------------------------------------------------------------ */

/* The kernel's number for the clock of a thread's CPU time. */
static clockid_t clock_of(pid_t thread)
{
    return (clockid_t)((~(uint32_t)thread << 3) | 6);
}

/* 0 if the thread has ended. */
static uint64_t cpu_time(const struct sampled *sampled)
{
    struct timespec now = {0};

    clock_gettime(clock_of(sampled->thread), &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* What it took since it was sampled, as long as it is. */
static uint64_t taken_ns(const struct sampled *sampled)
{
    uint64_t now = cpu_time(sampled);

    return now > sampled->begun_ns ? now - sampled->begun_ns : 0;
}

/* CPU time is looked at only at ticks, of which the one that finds a thread due comes
 * half a tick late, on average, and its end half a tick after the last one: a whole tick
 * that the first time must come earlier. */
static void start_timers(struct sampled *sampled, const struct signals *s,
                         uint64_t period_ns)
{
    uint64_t first_ns;

    if (s->is_wall_clock)
        period_ns = signal_handler_period();
    first_ns = signal_handler_first_ns(sampled->thread, period_ns);
    if (!s->is_wall_clock)
        first_ns = first_ns > s->tick_ns ? first_ns - s->tick_ns : 1;
    sampled->begun_ns = cpu_time(sampled);
    if (sampled->wall_timer != NO_TIMER)
        thread_timer_start(sampled->wall_timer, first_ns, period_ns);
    else
        thread_timer_start(sampled->cpu_timer, first_ns, period_ns);
}

/* One that the handler starts just now is stopped by its next signal. */
static void stop_timers(const struct sampled *sampled)
{
    if (sampled->wall_timer != NO_TIMER)
        thread_timer_set(sampled->wall_timer, 0);
    thread_timer_set(sampled->cpu_timer, 0);
}

static void delete_timers(const struct sampled *sampled)
{
    if (sampled->wall_timer != NO_TIMER)
        thread_timer_delete(sampled->wall_timer);
    thread_timer_delete(sampled->cpu_timer);
}

static enum fxt_sampler_code make_timers(struct sampled *sampled, bool wall)
{
    pid_t thread = sampled->thread;

    sampled->wall_timer = NO_TIMER;
    if (!thread_timer_make(clock_of(thread), thread, thread_timer_value(thread, false, 0),
                           &sampled->cpu_timer))
        return errno == EINVAL ? FXT_SAMPLER_E_NO_TARGET : FXT_SAMPLER_E_RESOURCES;
    if (wall && !thread_timer_make(CLOCK_MONOTONIC, thread,
                                   thread_timer_value(thread, true, sampled->cpu_timer),
                                   &sampled->wall_timer)) {
        thread_timer_delete(sampled->cpu_timer);
        return errno == EINVAL ? FXT_SAMPLER_E_NO_TARGET : FXT_SAMPLER_E_RESOURCES;
    }
    return FXT_SAMPLER_OK;
}

/* ---- Threads ----------------------------------------------------------------------- */

static struct sampled *find(const struct signals *s, pid_t thread)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->threads[i].thread == thread)
            return &s->threads[i];
    }
    return NULL;
}

static bool is_own(pid_t thread)
{
    return syscall(SYS_tgkill, (long)getpid(), (long)thread, 0L) == 0;
}

static bool exists(pid_t id)
{
    return kill(id, 0) == 0 || errno == EPERM;
}

static enum fxt_sampler_code add_thread(struct fxt_sampler *sampler, pid_t thread)
{
    struct signals *s = sampler->state;
    struct sampled sampled = {.thread = thread};
    enum fxt_sampler_code code;

    if (!is_own(thread))
        return exists(thread) ? FXT_SAMPLER_E_METHOD : FXT_SAMPLER_E_NO_TARGET;
    if (find(s, thread) != NULL)
        return FXT_SAMPLER_E_ATTACHED;
    if (s->n == s->capacity) {
        size_t capacity = s->capacity > 0 ? 2 * s->capacity : 16;
        struct sampled *threads = realloc(s->threads, capacity * sizeof(*threads));

        if (threads == NULL)
            return FXT_SAMPLER_E_RESOURCES;
        s->threads = threads;
        s->capacity = capacity;
    }
    code = make_timers(&sampled, s->is_wall_clock);
    if (code != FXT_SAMPLER_OK)
        return code;
    if (sampler->is_running)
        start_timers(&sampled, s, sampler->config.period_ns);
    s->threads[s->n++] = sampled;
    return FXT_SAMPLER_OK;
}

/* All that there are now, until no new ones are found. */
static enum fxt_sampler_code add_threads(struct fxt_sampler *sampler)
{
    bool again = true;

    while (again) {
        DIR *directory = opendir("/proc/self/task");
        const struct dirent *entry;

        if (directory == NULL)
            return FXT_SAMPLER_E_RESOURCES;
        again = false;
        while ((entry = readdir(directory)) != NULL) {
            pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
            enum fxt_sampler_code code =
                thread > 0 ? add_thread(sampler, thread) : FXT_SAMPLER_E_ATTACHED;

            again = again || code == FXT_SAMPLER_OK;
            if (code == FXT_SAMPLER_E_RESOURCES) {
                closedir(directory);
                return code;
            }
        }
        closedir(directory);
    }
    return FXT_SAMPLER_OK;
}

/* Those that were attached last, down to `n`. */
static void remove_threads(struct signals *s, size_t n)
{
    while (s->n > n)
        delete_timers(&s->threads[--s->n]);
}

static enum fxt_sampler_code attach(struct fxt_sampler *sampler,
                                    enum fxt_sampler_target target, pid_t id)
{
    size_t n = ((const struct signals *)sampler->state)->n;
    enum fxt_sampler_code code;

    if (target == FXT_SAMPLER_THREAD)
        return add_thread(sampler, id);
    if (target == FXT_SAMPLER_SYSTEM)
        return FXT_SAMPLER_E_METHOD;
    if (id != getpid())
        return exists(id) ? FXT_SAMPLER_E_METHOD : FXT_SAMPLER_E_NO_TARGET;
    code = add_threads(sampler);
    if (code != FXT_SAMPLER_OK)
        remove_threads(sampler->state, n);
    return code;
}

static enum fxt_sampler_code detach(struct fxt_sampler *sampler, pid_t thread)
{
    struct signals *s = sampler->state;
    struct sampled *sampled = find(s, thread);

    if (sampled == NULL)
        return FXT_SAMPLER_E_ATTACHED;
    if (sampler->is_running)
        s->ended_ns += taken_ns(sampled);
    delete_timers(sampled);
    *sampled = s->threads[--s->n];
    return FXT_SAMPLER_OK;
}

/* ---- The session ------------------------------------------------------------------- */

static uint64_t tick_ns(void)
{
    struct timespec tick;

    if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0)
        return 10000000;
    return (uint64_t)tick.tv_sec * 1000000000 + (uint64_t)tick.tv_nsec;
}

/* Whether a signal each period, or each few periods, leaves threads most of their time.
 */
static enum fxt_sampler_code check_cost(struct fxt_sampler *sampler)
{
    uint64_t cost_ns;

    if (!signal_cost_measure())
        return FXT_SAMPLER_E_RESOURCES;
    cost_ns = signal_cost_ns();
    if (throttle_stretch(cost_ns, sampler->config.period_ns) <= STRETCH_MAX)
        return FXT_SAMPLER_OK;
    snprintf(sampler->reason, sizeof(sampler->reason),
             "the period is too short for signals: each takes %.0f us of CPU time here, "
             "so the shortest period is %.0f us",
             (double)cost_ns / 1e3,
             (double)(cost_ns * THROTTLE_SHARE / STRETCH_MAX) / 1e3);
    return FXT_SAMPLER_E_PERIOD;
}

static enum fxt_sampler_code open_signals(struct fxt_sampler *sampler)
{
    uint64_t tick = tick_ns();
    bool is_wall_clock = sampler->config.period_ns < tick;
    enum fxt_sampler_code code;
    struct signals *s;

    if ((sampler->config.flags & (FXT_SAMPLER_KERNEL_ONLY | FXT_SAMPLER_CYCLES)) != 0)
        return FXT_SAMPLER_E_METHOD;
    s = calloc(1, sizeof(*s));
    if (s == NULL)
        return FXT_SAMPLER_E_RESOURCES;
    if (!signal_handler_install(sampler->config.period_ns, is_wall_clock)) {
        snprintf(sampler->reason, sizeof(sampler->reason),
                 "process_vm_readv, which reads stacks, is forbidden (%s)",
                 strerror(errno));
        free(s);
        return FXT_SAMPLER_E_PERMISSION;
    }
    code = is_wall_clock ? check_cost(sampler) : FXT_SAMPLER_OK;
    if (code != FXT_SAMPLER_OK) {
        free(s);
        return code;
    }
    s->is_wall_clock = is_wall_clock;
    s->tick_ns = tick;
    sampler->state = s;
    return FXT_SAMPLER_OK;
}

static enum fxt_sampler_code start(struct fxt_sampler *sampler)
{
    const struct signals *s = sampler->state;

    signal_handler_start();
    for (size_t i = 0; i < s->n; i++)
        start_timers(&s->threads[i], s, sampler->config.period_ns);
    return FXT_SAMPLER_OK;
}

static void stop(struct fxt_sampler *sampler)
{
    struct signals *s = sampler->state;

    for (size_t i = 0; i < s->n; i++) {
        stop_timers(&s->threads[i]);
        s->ended_ns += taken_ns(&s->threads[i]);
    }
    regions_close_gates();
}

static void take_times(const struct fxt_sampler *sampler,
                       struct fxt_sampler_counts *counts)
{
    const struct signals *s = sampler->state;

    counts->cpu_ns = s->ended_ns;
    for (size_t i = 0; sampler->is_running && i < s->n; i++)
        counts->cpu_ns += taken_ns(&s->threads[i]);
}

static void forget(struct fxt_sampler *sampler)
{
    struct signals *s = sampler->state;

    free(s->threads);
    free(s);
}

static void close_signals(struct fxt_sampler *sampler)
{
    remove_threads(sampler->state, 0);
    forget(sampler);
}

const struct method method_signal = {
    .number = FXT_SAMPLER_SIGNAL,
    .open = open_signals,
    .attach = attach,
    .detach = detach,
    .start = start,
    .stop = stop,
    .take_times = take_times,
    .close = close_signals,
    .forget = forget,
};
