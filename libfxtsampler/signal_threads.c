/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See signal_threads.h.
 *
 * Each thread has a timer of its CPU time, which the kernel checks only at its ticks. For
 * shorter periods it has two of wall-clock time, too. These run until the thread is found
 * waiting: then the first one takes over, since a waiting thread would be woken for
 * nothing, again and again, and uses CPU time again once it runs.
 */
#include "signal_threads.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "grow.h"
#include "signal_handler.h"
#include "thread_timer.h"

/* ---- Timers ------------------------------------------------------------------------ */

/* The kernel's number for the clock of a thread's CPU time. */
static clockid_t clock_of(pid_t thread)
{
    return (clockid_t)((~(uint32_t)thread << 3) | 6);
}

/* What it was last seen to have taken if the thread has ended. */
static uint64_t cpu_time(const struct sampled *sampled)
{
    struct timespec now = {0};
    uint64_t ns;

    if (clock_gettime(clock_of(sampled->thread), &now) != 0)
        return sampled->seen_ns;
    ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    return ns > sampled->seen_ns ? ns : sampled->seen_ns;
}

/* What it took since it was sampled, as long as it is. */
static uint64_t taken_ns(const struct sampled *sampled)
{
    uint64_t now = cpu_time(sampled);

    return now > sampled->begun_ns ? now - sampled->begun_ns : 0;
}

/* The thread is not sampled any more: what it took is counted, and what of that made no
 * samples is written. */
static void settle(struct signal_threads *threads, const struct sampled *sampled)
{
    struct signal_account account = {
        .thread = sampled->thread,
        .cpu_ns = taken_ns(sampled),
        .n = signal_counts_get(sampled->thread) - sampled->n_begun,
    };

    threads->ended_ns += account.cpu_ns;
    signal_accounts_add(&threads->accounts, account);
}

/* CPU time is looked at only at ticks, of which the one that finds a thread due comes
 * half a tick late, on average, and its end half a tick after the last one: a whole tick
 * that the first time must come earlier. */
static void start_timers(struct sampled *sampled, const struct signal_threads *threads)
{
    uint64_t period_ns = threads->accounts.by_wall_clock ? signal_handler_period()
                                                         : threads->accounts.period_ns;
    uint64_t first_ns = signal_handler_first_ns(sampled->thread, period_ns);

    if (!threads->accounts.by_wall_clock)
        first_ns = first_ns > threads->tick_ns ? first_ns - threads->tick_ns : 1;
    sampled->begun_ns = cpu_time(sampled);
    sampled->n_begun = signal_counts_get(sampled->thread);
    sampled->timers.due_ns = clock_ns(CLOCK_MONOTONIC) + first_ns;
    signal_counts_keep_timers(sampled->thread, &sampled->timers);
    if (sampled->has_wall_timers)
        thread_timers_start_wall(&sampled->timers, period_ns);
    else
        thread_timer_start(sampled->timers.cpu, first_ns, period_ns);
}

/* One that the handler starts just now is stopped by its next signal. */
static void stop_timers(const struct sampled *sampled)
{
    if (sampled->has_wall_timers)
        thread_timers_stop_wall(&sampled->timers);
    thread_timer_set(sampled->timers.cpu, 0);
}

static void delete_timers(const struct sampled *sampled)
{
    for (int i = 0; sampled->has_wall_timers && i < THREAD_TIMERS_WALL; i++)
        thread_timer_delete(sampled->timers.wall[i]);
    thread_timer_delete(sampled->timers.cpu);
}

static bool make_wall_timers(struct sampled *sampled)
{
    uint64_t value = thread_timer_value(sampled->thread, true);

    for (int i = 0; i < THREAD_TIMERS_WALL; i++) {
        if (thread_timer_make(CLOCK_MONOTONIC, sampled->thread, value,
                              &sampled->timers.wall[i]))
            continue;
        while (i-- > 0)
            thread_timer_delete(sampled->timers.wall[i]);
        return false;
    }
    return true;
}

static enum fxt_sampler_code make_timers(struct sampled *sampled, bool wall)
{
    pid_t thread = sampled->thread;

    if (!thread_timer_make(clock_of(thread), thread, thread_timer_value(thread, false),
                           &sampled->timers.cpu))
        return errno == EINVAL ? FXT_SAMPLER_E_NO_TARGET : FXT_SAMPLER_E_RESOURCES;
    sampled->has_wall_timers = wall && make_wall_timers(sampled);
    if (wall && !sampled->has_wall_timers) {
        thread_timer_delete(sampled->timers.cpu);
        return errno == EINVAL ? FXT_SAMPLER_E_NO_TARGET : FXT_SAMPLER_E_RESOURCES;
    }
    return FXT_SAMPLER_OK;
}

/* ---- Threads ----------------------------------------------------------------------- */

/* Threads are looked up in the order in which they were added, mostly. */
static struct sampled *find(struct signal_threads *threads, pid_t thread)
{
    for (size_t i = 0; i < threads->n; i++) {
        size_t number = (threads->next + i) % threads->n;

        if (threads->all[number].thread == thread) {
            threads->next = number + 1;
            return &threads->all[number];
        }
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

/* A thread that has begun while the session runs was to be sampled from its beginning. */
static enum fxt_sampler_code add(struct signal_threads *threads, pid_t thread,
                                 bool is_new)
{
    struct sampled sampled = {.thread = thread, .look = threads->n_looks};
    enum fxt_sampler_code code;

    if (!signal_counts_begin(thread) ||
        !grow_array(&threads->all, threads->n, &threads->capacity, sizeof(*threads->all)))
        return FXT_SAMPLER_E_RESOURCES;
    code = make_timers(&sampled, threads->accounts.by_wall_clock);
    if (code != FXT_SAMPLER_OK)
        return code;
    if (threads->is_running)
        start_timers(&sampled, threads);
    if (is_new)
        sampled.begun_ns = 0;
    threads->all[threads->n++] = sampled;
    return FXT_SAMPLER_OK;
}

enum fxt_sampler_code signal_threads_add(struct signal_threads *threads, pid_t thread,
                                         bool is_new)
{
    struct sampled *known = find(threads, thread);

    if (!is_own(thread))
        return exists(thread) ? FXT_SAMPLER_E_METHOD : FXT_SAMPLER_E_NO_TARGET;
    if (known != NULL && (!known->is_detached || is_new))
        return FXT_SAMPLER_E_ATTACHED;
    if (known != NULL)
        *known = threads->all[--threads->n];
    return add(threads, thread, is_new);
}

/* Of a look at all threads. */
static enum fxt_sampler_code look_at(struct signal_threads *threads, pid_t thread,
                                     bool is_new)
{
    struct sampled *known = find(threads, thread);

    if (thread <= 0 || thread == threads->follower)
        return FXT_SAMPLER_E_ATTACHED;
    if (known == NULL)
        return signal_threads_add(threads, thread, is_new);
    known->look = threads->n_looks;
    if (is_new && !known->is_detached)
        known->seen_ns = cpu_time(known);
    return FXT_SAMPLER_E_ATTACHED;
}

enum fxt_sampler_code signal_threads_add_all(struct signal_threads *threads, bool is_new)
{
    bool again = true;

    while (again) {
        DIR *directory = opendir("/proc/self/task");
        const struct dirent *entry;

        if (directory == NULL)
            return FXT_SAMPLER_E_RESOURCES;
        again = false;
        while ((entry = readdir(directory)) != NULL) {
            enum fxt_sampler_code code =
                look_at(threads, (pid_t)strtol(entry->d_name, NULL, 10), is_new);

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

enum fxt_sampler_code signal_threads_detach(struct signal_threads *threads, pid_t thread)
{
    struct sampled *sampled = find(threads, thread);

    if (sampled == NULL || sampled->is_detached)
        return FXT_SAMPLER_E_ATTACHED;
    delete_timers(sampled);
    if (threads->is_running)
        settle(threads, sampled);
    if (threads->follows)
        sampled->is_detached = true;
    else
        *sampled = threads->all[--threads->n];
    return FXT_SAMPLER_OK;
}

void signal_threads_remove(struct signal_threads *threads, size_t n)
{
    while (threads->n > n) {
        if (!threads->all[--threads->n].is_detached)
            delete_timers(&threads->all[threads->n]);
    }
}

void signal_threads_look(struct signal_threads *threads)
{
    size_t i = 0;

    threads->n_looks++;
    if (signal_threads_add_all(threads, true) != FXT_SAMPLER_OK)
        return;
    while (i < threads->n) {
        struct sampled *sampled = &threads->all[i];

        if (sampled->look == threads->n_looks) {
            i++;
            continue;
        }
        if (!sampled->is_detached) {
            delete_timers(sampled);
            settle(threads, sampled);
        }
        *sampled = threads->all[--threads->n];
    }
}

/* ---- The session ------------------------------------------------------------------- */

void signal_threads_start(struct signal_threads *threads)
{
    threads->is_running = true;
    for (size_t i = 0; i < threads->n; i++) {
        if (!threads->all[i].is_detached)
            start_timers(&threads->all[i], threads);
    }
}

void signal_threads_stop(struct signal_threads *threads)
{
    threads->is_running = false;
    for (size_t i = 0; i < threads->n; i++) {
        if (threads->all[i].is_detached)
            continue;
        stop_timers(&threads->all[i]);
        settle(threads, &threads->all[i]);
    }
    signal_accounts_settle(&threads->accounts);
}

uint64_t signal_threads_cpu_ns(const struct signal_threads *threads)
{
    uint64_t ns = threads->ended_ns;

    for (size_t i = 0; threads->is_running && i < threads->n; i++) {
        if (!threads->all[i].is_detached)
            ns += taken_ns(&threads->all[i]);
    }
    return ns;
}

void signal_threads_free(struct signal_threads *threads)
{
    free(threads->all);
    free(threads->accounts.all);
}
