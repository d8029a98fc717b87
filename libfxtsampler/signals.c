/* SPDX-License-Identifier: BSD-2-Clause */
/* Sampling by signals: what their timers are is in signal_threads.c, and what the signals
 * do in signal_handler.c. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "session.h"
#include "signal_cost.h"
#include "signal_follow.h"
#include "signal_handler.h"
#include "signal_threads.h"
#include "throttle.h"

/* A period that would have to be stretched by more is refused: so many samples of each
 * stack would show little of what happens between. */
enum { STRETCH_MAX = 100 };

/* A session's. */
struct signals {
    /* What the functions of a method and the thread that follows share, all of it. */
    pthread_mutex_t lock;
    struct signal_threads threads;
    struct signal_follow follow;
};

/* ---- Targets ----------------------------------------------------------------------- */

static bool exists(pid_t id)
{
    return kill(id, 0) == 0 || errno == EPERM;
}

static enum fxt_sampler_code attach_process(struct signals *s)
{
    struct signal_threads *threads = &s->threads;
    size_t n = threads->n;
    enum fxt_sampler_code code;

    if (threads->follows)
        return FXT_SAMPLER_E_ATTACHED;
    code = signal_threads_add_all(threads, false);
    if (code == FXT_SAMPLER_OK && threads->is_running && !signal_follow_start(&s->follow))
        code = FXT_SAMPLER_E_RESOURCES;
    threads->follows = code == FXT_SAMPLER_OK;
    if (!threads->follows)
        signal_threads_remove(threads, n);
    return code;
}

static enum fxt_sampler_code attach(struct fxt_sampler *sampler,
                                    enum fxt_sampler_target target, pid_t id)
{
    struct signals *s = sampler->state;
    enum fxt_sampler_code code;

    if (target != FXT_SAMPLER_THREAD && target != FXT_SAMPLER_PROCESS)
        return FXT_SAMPLER_E_METHOD;
    if (target == FXT_SAMPLER_PROCESS && id != getpid())
        return exists(id) ? FXT_SAMPLER_E_METHOD : FXT_SAMPLER_E_NO_TARGET;
    pthread_mutex_lock(&s->lock);
    code = target == FXT_SAMPLER_THREAD ? signal_threads_add(&s->threads, id, false)
                                        : attach_process(s);
    pthread_mutex_unlock(&s->lock);
    return code;
}

static enum fxt_sampler_code detach(struct fxt_sampler *sampler, pid_t thread)
{
    struct signals *s = sampler->state;
    enum fxt_sampler_code code;

    pthread_mutex_lock(&s->lock);
    code = signal_threads_detach(&s->threads, thread);
    pthread_mutex_unlock(&s->lock);
    return code;
}

/* ---- The session ------------------------------------------------------------------- */

static uint64_t tick_ns(void)
{
    struct timespec tick;

    if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0)
        return 10000000;
    return (uint64_t)tick.tv_sec * 1000000000 + (uint64_t)tick.tv_nsec;
}

/* In thousandths: no more than what throttling allows. */
static uint32_t share_of(uint64_t cost_ns, uint64_t period_ns)
{
    uint64_t share = cost_ns * 1000 / period_ns;

    return share < 1000 / THROTTLE_SHARE ? (uint32_t)share : 1000 / THROTTLE_SHARE;
}

/* Whether a signal each period, or each few periods, leaves threads most of their time.
 */
static enum fxt_sampler_code check_cost(struct fxt_sampler *sampler)
{
    uint64_t cost_ns;

    if (!signal_cost_measure())
        return FXT_SAMPLER_E_RESOURCES;
    cost_ns = signal_cost_ns();
    sampler->cost = share_of(cost_ns, sampler->config.period_ns);
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

    if ((sampler->config.flags & SESSION_FLAGS_OF_PERF) != 0)
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
    pthread_mutex_init(&s->lock, NULL);
    s->threads.accounts.period_ns = sampler->config.period_ns;
    s->threads.accounts.by_wall_clock = is_wall_clock;
    s->threads.tick_ns = tick;
    s->follow.threads = &s->threads;
    s->follow.lock = &s->lock;
    sampler->state = s;
    return FXT_SAMPLER_OK;
}

static enum fxt_sampler_code start(struct fxt_sampler *sampler)
{
    struct signals *s = sampler->state;
    bool good = true;

    signal_handler_start();
    pthread_mutex_lock(&s->lock);
    if (s->threads.follows)
        good = signal_follow_start(&s->follow);
    if (good)
        signal_threads_start(&s->threads);
    pthread_mutex_unlock(&s->lock);
    return good ? FXT_SAMPLER_OK : FXT_SAMPLER_E_RESOURCES;
}

static void stop(struct fxt_sampler *sampler)
{
    struct signals *s = sampler->state;
    bool has_followed = s->follow.is_running;

    if (has_followed)
        signal_follow_stop(&s->follow);
    pthread_mutex_lock(&s->lock);
    signal_threads_stop(&s->threads);
    if (has_followed)
        signal_follow_finish(&s->follow);
    pthread_mutex_unlock(&s->lock);
    regions_close_gates();
}

static void take_times(const struct fxt_sampler *sampler,
                       struct fxt_sampler_counts *counts)
{
    struct signals *s = sampler->state;

    pthread_mutex_lock(&s->lock);
    counts->cpu_ns = signal_threads_cpu_ns(&s->threads);
    pthread_mutex_unlock(&s->lock);
}

static void forget(struct fxt_sampler *sampler)
{
    struct signals *s = sampler->state;

    signal_threads_free(&s->threads);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static void close_signals(struct fxt_sampler *sampler)
{
    struct signals *s = sampler->state;

    signal_threads_remove(&s->threads, 0);
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
