/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timers that send SIGPROF to one thread, identified by the kernel's timer ids, which the
 * signal carries, too: its handler stops one timer and starts another. Nothing here
 * allocates, and all functions but the one that creates a timer may be called from a
 * signal handler.
 */
#ifndef LIBFXTSAMPLER_THREAD_TIMER_H
#define LIBFXTSAMPLER_THREAD_TIMER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* For C libraries that do not define Linux's name. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* What a timer's signal carries: the thread's id, and whether the timer is one by the
 * clock on the wall. */
static inline uint64_t thread_timer_value(pid_t thread, bool is_wall)
{
    return (uint64_t)is_wall << 63 | (uint64_t)(uint32_t)thread << 32;
}

static inline bool thread_timer_is_wall(uint64_t value)
{
    return value >> 63 != 0;
}

static inline pid_t thread_timer_thread(uint64_t value)
{
    return (pid_t)(value >> 32 & INT32_MAX);
}

/* Makes a timer, which does not run. Returns false with errno set. */
static inline bool thread_timer_make(clockid_t clock, pid_t thread, uint64_t value,
                                     int *timer)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};

    event.sigev_notify_thread_id = thread;
    event.sigev_value.sival_ptr = (void *)(uintptr_t)value;
    return syscall(SYS_timer_create, (long)clock, &event, timer) == 0;
}

static inline struct timespec thread_timer_time(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
}

/* Restarts a timer: it expires once at a time of its clock and then every period. */
static inline void thread_timer_start_at(int timer, uint64_t due_ns, uint64_t period_ns)
{
    struct itimerspec times = {.it_interval = thread_timer_time(period_ns),
                               .it_value = thread_timer_time(due_ns)};

    syscall(SYS_timer_settime, (long)timer, (long)TIMER_ABSTIME, &times, (void *)0);
}

/* The same, the first time after an interval. */
static inline void thread_timer_start(int timer, uint64_t first_ns, uint64_t period_ns)
{
    struct itimerspec times = {.it_interval = thread_timer_time(period_ns),
                               .it_value = thread_timer_time(first_ns)};

    syscall(SYS_timer_settime, (long)timer, 0L, &times, (void *)0);
}

/* The same, the first time after a period; or stops it with a period of 0. */
static inline void thread_timer_set(int timer, uint64_t period_ns)
{
    thread_timer_start(timer, period_ns, period_ns);
}

static inline void thread_timer_delete(int timer)
{
    syscall(SYS_timer_delete, (long)timer);
}

/*
 * A thread's timers: one by its CPU time and, if it has them, two by the clock on the
 * wall, which take turns. When a signal is delivered, the kernel restarts the timer that
 * sent it. As the other one is due first, the hardware's timer is left as it is: to set
 * it is a large part of what a signal costs in a virtual machine.
 */
enum { THREAD_TIMERS_WALL = 2 };

struct thread_timers {
    int cpu;
    int wall[THREAD_TIMERS_WALL];
    /* When, by CLOCK_MONOTONIC, the first of their signals is due. */
    uint64_t due_ns;
};

/* Starts those by the clock on the wall: one of them expires when it is due, and then one
 * each period. */
static inline void thread_timers_start_wall(const struct thread_timers *timers,
                                            uint64_t period_ns)
{
    for (int i = 0; i < THREAD_TIMERS_WALL; i++)
        thread_timer_start_at(timers->wall[i], timers->due_ns + (uint64_t)i * period_ns,
                              THREAD_TIMERS_WALL * period_ns);
}

static inline void thread_timers_stop_wall(const struct thread_timers *timers)
{
    for (int i = 0; i < THREAD_TIMERS_WALL; i++)
        thread_timer_set(timers->wall[i], 0);
}

#endif
