/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See signal_handler.h. The handler walks the frames of what it interrupted and writes a
 * sample to the region of the CPU that it runs on.
 *
 * In it nothing is allocated, nothing is waited for, no lock is taken, and nothing of a
 * session is touched but what its gates guard. The stack of whatever code was interrupted
 * is read by window.h.
 */
#include "signal_handler.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <fxt/unwind.h>

#include "context.h"
#include "regions.h"
#include "window.h"

/* The handler may run when there is no session any more. */
static pid_t own_process;
static atomic_bool by_wall_clock;
static atomic_uint_fast64_t period;

/* The CPU time of the thread when it was sampled last. The model means that a signal
 * handler finds it without a call that might allocate it. */
static __thread uint64_t last_cpu_ns __attribute__((tls_model("initial-exec")));

enum { MAX_OVERRUN = 99 };

/* ---- Taking samples ---------------------------------------------------------------- */

static void take_sample(const void *context, uint32_t cpu, uint64_t thread,
                        uint64_t n_times)
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
        regions_write(cpu, 0, (uint64_t)own_process, thread, pcs, n_pcs);
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

/* Each timer carries the id of its thread. */
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
        take_sample(context, (uint32_t)cpu, (uint64_t)info->si_value.sival_int, n);
    else
        regions_count(&regions.all[cpu].skipped, 1);
    if (info->si_overrun > 0)
        regions_count(&regions.all[cpu].merged, (uint64_t)info->si_overrun);
    errno = saved_errno;
}

/* ---- Installing -------------------------------------------------------------------- */

/* A filter of system calls may forbid it. */
static bool can_read_stacks(void)
{
    uintptr_t word = 1;
    uintptr_t copy = 0;
    struct window window;
    uintptr_t address;
    const uintptr_t *at = &word;

    memcpy(&address, &at, sizeof(address));
    window_init(&window, own_process);
    return window_word(&window, address, &copy) && copy == word;
}

/* The handler stays for good: a last signal may be under way for long. */
bool signal_handler_install(uint64_t period_ns, bool is_wall_clock)
{
    struct sigaction action = {.sa_sigaction = take_signal,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};

    own_process = getpid();
    atomic_store(&period, period_ns);
    atomic_store(&by_wall_clock, is_wall_clock);
    return can_read_stacks() && sigaction(SIGPROF, &action, NULL) == 0;
}
