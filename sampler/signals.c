/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling by signals: a timer for each thread, and a handler that walks the frames of
 * what it interrupted and writes a sample to the region of the CPU that it runs on.
 *
 * In the handler nothing is allocated, nothing is waited for, no lock is taken, and
 * nothing of a session is touched but what its gates guard. The stack of whatever code
 * was interrupted is read by window.h.
 */
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <fxt/unwind.h>

#include "context.h"
#include "session.h"
#include "window.h"

/* Where the C library does not say what Linux calls it. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

struct sampled {
    pid_t thread;
    timer_t timer;
};

/* A session's. */
struct signals {
    struct sampled *threads;
    size_t n;
    size_t capacity;
    clockid_t clock;
};

/* For the handler, which may run when there is no session any more. */
static pid_t own_process;
static atomic_bool by_wall_clock;
static atomic_uint_fast64_t period;

/* The CPU time of the thread when it was sampled last. The model means that a signal
 * handler finds it without a call that might allocate it. */
static __thread uint64_t last_cpu_ns __attribute__((tls_model("initial-exec")));

/* ---- In the signal handler --------------------------------------------------------- */

enum { MAX_OVERRUN = 99 };

static void take_sample(const void *context, uint32_t cpu, uint64_t n_times)
{
    struct window window;
    struct fxt_unwind from = {.read = window_read, .context = &window};
    uint64_t pcs[FXT_SAMPLER_PCS_MAX];
    uint64_t n_pcs;

    window_init(&window, own_process);
    context_start(context, &from);
    from.stack_high = window_end(from.stack_low);
    n_pcs = fxt_unwind_walk(&from, pcs, FXT_SAMPLER_PCS_MAX);
    while (n_times-- > 0)
        regions_write(cpu, 0, (uint64_t)own_process, (uint64_t)gettid(), pcs, n_pcs);
}

/* By the clock on the wall: whether the thread has run since the last signal, and not
 * waited for a CPU just now, when the signal would come where the thread was stopped. */
static bool has_run(int overrun)
{
    struct timespec now;
    uint64_t before = last_cpu_ns;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    last_cpu_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    return overrun == 0 && last_cpu_ns - before >= atomic_load(&period) / 2;
}

/* What a signal is worth: periods of CPU time that passed since the kernel looked last
 * all come with one signal, and where the thread is now is all that is known of them. */
static uint64_t count_samples(int overrun)
{
    if (atomic_load(&by_wall_clock))
        return has_run(overrun) ? 1 : 0;
    return 1 + (uint64_t)(overrun < MAX_OVERRUN ? overrun : MAX_OVERRUN);
}

static void take_signal(int signal, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    int cpu = sched_getcpu();
    uint64_t n;

    (void)signal;
    if (info->si_code != SI_TIMER || cpu < 0 || (uint32_t)cpu >= regions.n ||
        !fxt_gate_is_enabled(&regions.all[cpu].gate)) {
        errno = saved_errno;
        return;
    }
    n = count_samples(info->si_overrun);
    if (n > 0)
        take_sample(context, (uint32_t)cpu, n);
    else
        regions_count(&regions.all[cpu].skipped, 1);
    if (info->si_overrun > 0)
        regions_count(&regions.all[cpu].merged, (uint64_t)info->si_overrun);
    errno = saved_errno;
}

/* ---- Timers ------------------------------------------------------------------------ */

/* The kernel's number for the clock of a thread's CPU time. */
static clockid_t clock_of(pid_t thread)
{
    return (clockid_t)((~(uint32_t)thread << 3) | 6);
}

static struct timespec to_timespec(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
}

static void set_timer(const struct sampled *sampled, uint64_t ns)
{
    struct itimerspec times = {.it_interval = to_timespec(ns),
                               .it_value = to_timespec(ns)};

    timer_settime(sampled->timer, 0, &times, NULL);
}

static enum fxt_sampler_code make_timer(struct sampled *sampled, bool wall)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};

    event.sigev_notify_thread_id = sampled->thread;
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
    return syscall(SYS_tgkill, (long)own_process, (long)thread, 0L) == 0;
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
    code = make_timer(&sampled, atomic_load(&by_wall_clock));
    if (code != FXT_SAMPLER_OK)
        return code;
    s->threads[s->n++] = sampled;
    if (sampler->is_running)
        set_timer(&sampled, sampler->config.period_ns);
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
    if (id != own_process)
        return exists(id) ? FXT_SAMPLER_E_METHOD : FXT_SAMPLER_E_NO_TARGET;
    return add_threads(sampler);
}

static enum fxt_sampler_code detach(struct fxt_sampler *sampler, pid_t thread)
{
    struct signals *s = sampler->state;
    struct sampled *sampled = find(s, thread);

    if (sampled == NULL)
        return FXT_SAMPLER_E_ATTACHED;
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

/* A filter of system calls may forbid it. */
static bool can_read_stacks(void)
{
    uintptr_t word = 1;
    uintptr_t copy = 0;
    struct window window;
    uintptr_t address;
    const uintptr_t *at = &word;

    memcpy(&address, &at, sizeof(address));
    window_init(&window, getpid());
    return window_word(&window, address, &copy) && copy == word;
}

static enum fxt_sampler_code open_signals(struct fxt_sampler *sampler)
{
    struct sigaction action = {.sa_sigaction = take_signal,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    struct signals *s;

    if ((sampler->config.flags & FXT_SAMPLER_KERNEL_ONLY) != 0)
        return FXT_SAMPLER_E_METHOD;
    own_process = getpid();
    if (!can_read_stacks()) {
        snprintf(sampler->reason, sizeof(sampler->reason),
                 "process_vm_readv, which stacks are read by: %s", strerror(errno));
        return FXT_SAMPLER_E_PERMISSION;
    }
    s = calloc(1, sizeof(*s));
    if (s == NULL)
        return FXT_SAMPLER_E_RESOURCES;
    atomic_store(&period, sampler->config.period_ns);
    atomic_store(&by_wall_clock, sampler->config.period_ns < tick_ns());
    /* The handler stays for good: a last signal may be under way for long. */
    if (sigaction(SIGPROF, &action, NULL) != 0) {
        free(s);
        return FXT_SAMPLER_E_SUPPORT;
    }
    sampler->state = s;
    return FXT_SAMPLER_OK;
}

static void set_timers(const struct fxt_sampler *sampler, uint64_t ns)
{
    const struct signals *s = sampler->state;

    for (size_t i = 0; i < s->n; i++)
        set_timer(&s->threads[i], ns);
}

static enum fxt_sampler_code start(struct fxt_sampler *sampler)
{
    set_timers(sampler, sampler->config.period_ns);
    return FXT_SAMPLER_OK;
}

static void stop(struct fxt_sampler *sampler)
{
    set_timers(sampler, 0);
    regions_close_gates();
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
    .close = close_signals,
    .forget = forget,
};
