/* SPDX-License-Identifier: BSD-2-Clause */
/* See sampler.h. */
#include "sampler.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include <fxt/emit.h>
#include <fxt/unwind.h>

#include "common/base/context.h"

/* Where the C library does not say what Linux calls it. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static uint64_t monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- In the signal handler --------------------------------------------------------- */

/* Which region to write to. The thread may move to another CPU at any time: the sample
 * then stands where it was a moment before. */
static struct region *find_region(const struct regions *regions)
{
    int cpu = sched_getcpu();

    return cpu >= 0 && (unsigned)cpu < regions->n ? &regions->all[cpu] : NULL;
}

/* The clock is read inside the gate, so that its samples are in order of time. */
static void write_sample(struct sampled_thread *thread, struct region *region,
                         const uint64_t *pcs, uint64_t n_pcs)
{
    if (region == NULL) {
        thread->counts.dropped_no_region++;
        return;
    }
    if (!fxt_gate_enter(&region->gate)) {
        thread->counts.dropped_busy++;
        return;
    }
    if (fxt_emit_sample(&region->emit, monotonic_ns(), (uint64_t)thread->sampler->process,
                        (uint64_t)thread->id, pcs, n_pcs))
        thread->counts.written++;
    else
        thread->counts.dropped_full++;
    fxt_gate_leave(&region->gate);
}

static void take_sample(struct sampled_thread *thread, const void *context)
{
    struct fxt_unwind from = {.stack_high = thread->stack_high};
    uint64_t pcs[FXT_SAMPLER_PCS_MAX];
    uint64_t n_pcs;

    context_start(context, &from);
    n_pcs = fxt_unwind_walk(&from, pcs, FXT_SAMPLER_PCS_MAX);
    write_sample(thread, find_region(thread->sampler->regions), pcs, n_pcs);
}

/* Nothing from here on waits, allocates, or calls what a signal handler may not call. */
static void take_signal(int signal, siginfo_t *info, void *context)
{
    struct sampled_thread *thread = info->si_value.sival_ptr;
    int saved_errno = errno;

    (void)signal;
    /* A signal that is not of our timers comes with no thread. */
    if (info->si_code != SI_TIMER)
        return;
    thread->counts.signals++;
    if (info->si_overrun > 0) {
        thread->counts.skipped_late++;
        thread->counts.merged += (uint64_t)info->si_overrun;
    } else {
        take_sample(thread, context);
    }
    errno = saved_errno;
}

/* ---- Around it --------------------------------------------------------------------- */

bool sampler_init(struct sampler *sampler, struct regions *regions, uint64_t period_ns)
{
    struct sigaction action = {.sa_sigaction = take_signal,
                               .sa_flags = SA_SIGINFO | SA_RESTART};

    *sampler = (struct sampler){regions, getpid(), period_ns};
    return sigaction(SIGPROF, &action, NULL) == 0;
}

/* The upper end of the calling thread's stack. */
static bool find_stack(uintptr_t *high)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    int error = pthread_getattr_np(pthread_self(), &attributes);

    if (error == 0) {
        error = pthread_attr_getstack(&attributes, &low, &size);
        pthread_attr_destroy(&attributes);
    }
    if (error != 0) {
        errno = error;
        return false;
    }
    *high = (uintptr_t)low + size;
    return true;
}

static struct timespec to_timespec(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
}

bool sampler_start_thread(const struct sampler *sampler, struct sampled_thread *thread)
{
    struct timespec period = to_timespec(sampler->period_ns);
    struct itimerspec times = {.it_interval = period, .it_value = period};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
                             .sigev_signo = SIGPROF,
                             .sigev_value.sival_ptr = thread};

    *thread = (struct sampled_thread){.sampler = sampler, .id = gettid()};
    event.sigev_notify_thread_id = thread->id;
    if (!find_stack(&thread->stack_high) ||
        timer_create(CLOCK_MONOTONIC, &event, &thread->timer) != 0)
        return false;
    return timer_settime(thread->timer, 0, &times, NULL) == 0;
}

void sampler_stop_thread(struct sampled_thread *thread)
{
    timer_delete(thread->timer);
}
