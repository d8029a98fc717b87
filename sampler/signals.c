/* SPDX-License-Identifier: BSD-2-Clause */
/* Sampling by signals: a timer for each thread of this process. What its signal does is
 * signal_handler.c's. */
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
#include "signal_handler.h"

/* Where the C library does not say what Linux calls it. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

struct sampled {
    pid_t thread;
    timer_t timer;
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

static struct timespec to_timespec(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
}

/* Zeros stop it. */
static void set_timer(const struct sampled *sampled, uint64_t first_ns,
                      uint64_t period_ns)
{
    struct itimerspec times = {.it_interval = to_timespec(period_ns),
                               .it_value = to_timespec(first_ns)};

    timer_settime(sampled->timer, 0, &times, NULL);
}

/* CPU time is looked at only at ticks, of which the one that finds a thread due comes
 * half a tick late, on average, and its end half a tick after the last one: a whole tick
 * that the first time must come earlier. */
static void start_timer(struct sampled *sampled, const struct signals *s,
                        uint64_t period_ns)
{
    uint64_t first_ns = signal_handler_first_ns(sampled->thread, period_ns);

    if (!s->is_wall_clock)
        first_ns = first_ns > s->tick_ns ? first_ns - s->tick_ns : 1;
    sampled->begun_ns = cpu_time(sampled);
    set_timer(sampled, first_ns, period_ns);
}

static enum fxt_sampler_code make_timer(struct sampled *sampled, bool wall)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};

    event.sigev_notify_thread_id = sampled->thread;
    event.sigev_value.sival_int = (int)sampled->thread;
    if (timer_create(wall ? CLOCK_MONOTONIC : clock_of(sampled->thread), &event,
                     &sampled->timer) == 0)
        return FXT_SAMPLER_OK;
    return errno == EINVAL ? FXT_SAMPLER_E_NO_TARGET : FXT_SAMPLER_E_RESOURCES;
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
    code = make_timer(&sampled, s->is_wall_clock);
    if (code != FXT_SAMPLER_OK)
        return code;
    if (sampler->is_running)
        start_timer(&sampled, s, sampler->config.period_ns);
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

static enum fxt_sampler_code attach(struct fxt_sampler *sampler,
                                    enum fxt_sampler_target target, pid_t id)
{
    if (target == FXT_SAMPLER_THREAD)
        return add_thread(sampler, id);
    if (target == FXT_SAMPLER_SYSTEM)
        return FXT_SAMPLER_E_METHOD;
    if (id != getpid())
        return exists(id) ? FXT_SAMPLER_E_METHOD : FXT_SAMPLER_E_NO_TARGET;
    return add_threads(sampler);
}

static enum fxt_sampler_code detach(struct fxt_sampler *sampler, pid_t thread)
{
    struct signals *s = sampler->state;
    struct sampled *sampled = find(s, thread);

    if (sampled == NULL)
        return FXT_SAMPLER_E_ATTACHED;
    if (sampler->is_running)
        s->ended_ns += taken_ns(sampled);
    timer_delete(sampled->timer);
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

static enum fxt_sampler_code open_signals(struct fxt_sampler *sampler)
{
    uint64_t tick = tick_ns();
    bool is_wall_clock = sampler->config.period_ns < tick;
    struct signals *s;

    if ((sampler->config.flags & FXT_SAMPLER_KERNEL_ONLY) != 0)
        return FXT_SAMPLER_E_METHOD;
    s = calloc(1, sizeof(*s));
    if (s == NULL)
        return FXT_SAMPLER_E_RESOURCES;
    if (!signal_handler_install(sampler->config.period_ns, is_wall_clock)) {
        snprintf(sampler->reason, sizeof(sampler->reason),
                 "process_vm_readv, which stacks are read by, is forbidden (%s)",
                 strerror(errno));
        free(s);
        return FXT_SAMPLER_E_PERMISSION;
    }
    s->is_wall_clock = is_wall_clock;
    s->tick_ns = tick;
    sampler->state = s;
    return FXT_SAMPLER_OK;
}

static enum fxt_sampler_code start(struct fxt_sampler *sampler)
{
    const struct signals *s = sampler->state;

    for (size_t i = 0; i < s->n; i++)
        start_timer(&s->threads[i], s, sampler->config.period_ns);
    return FXT_SAMPLER_OK;
}

static void stop(struct fxt_sampler *sampler)
{
    struct signals *s = sampler->state;

    for (size_t i = 0; i < s->n; i++) {
        set_timer(&s->threads[i], 0, 0);
        s->ended_ns += taken_ns(&s->threads[i]);
    }
    regions_close_gates();
}

static uint64_t sampled_time(struct fxt_sampler *sampler)
{
    const struct signals *s = sampler->state;
    uint64_t sum = s->ended_ns;

    for (size_t i = 0; sampler->is_running && i < s->n; i++)
        sum += taken_ns(&s->threads[i]);
    return sum;
}

static void forget(struct fxt_sampler *sampler)
{
    struct signals *s = sampler->state;

    free(s->threads);
    free(s);
}

static void close_signals(struct fxt_sampler *sampler)
{
    const struct signals *s = sampler->state;

    for (size_t i = 0; i < s->n; i++)
        timer_delete(s->threads[i].timer);
    forget(sampler);
}

const struct method method_signal = {
    .number = FXT_SAMPLER_SIGNAL,
    .open = open_signals,
    .attach = attach,
    .detach = detach,
    .start = start,
    .stop = stop,
    .sampled_time = sampled_time,
    .close = close_signals,
    .forget = forget,
};
