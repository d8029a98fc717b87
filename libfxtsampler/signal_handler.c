/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See signal_handler.h. The handler unwinds the stack that it interrupted and writes a
 * sample to the region of the CPU that it runs on.
 *
 * It does not use malloc, waits for nothing, takes no lock, and accesses nothing of a
 * session but what its gates guard.
 */
#include "signal_handler.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "regions.h"
#include "signal_cost.h"
#include "signal_counts.h"
#include "thread_timer.h"
#include "signal_registers.h"
#include "common/base/stack_window.h"
#include "common/unwind/in_process/own_stack.h"
#include "throttle.h"

/* The handler may run after the session has ended. */
static pid_t own_process;
static atomic_bool by_wall_clock;
static atomic_uint_fast64_t period;

/* Counts how often sessions were started, from 1 on. */
static atomic_uint session_number;

/* A thread's state, with wall-clock timers: of which session it is, up to which CPU time
 * it was sampled, how many signals in a row found it waiting, and its timers; when its
 * last signal came, by both clocks, and what that cost it. With this TLS model a signal
 * handler finds it without a call that might allocate it. */
struct progress {
    unsigned session;
    uint64_t cpu_ns;
    unsigned n_waited;
    struct thread_timers timers;
    uint64_t signal_ns;
    uint64_t signal_wall_ns;
    uint64_t cost_ns;
    struct throttle throttle;
};

static __thread struct progress progress __attribute__((tls_model("initial-exec")));

/* How many samples a stack may make, and of how long a time: as many as there are of the
 * shortest periods in the longest tick, and as long as signals are late where threads
 * wait in turn for a CPU; and of periods that are no shorter than the tick. A thread that
 * had blocked the signal for longer was not sampled, and where it is now says nothing of
 * that time. And after how many periods one is sampled wherever it is. */
enum {
    MAX_AT_ONCE = 1000,
    MAX_LATE_NS = 40000000,
    MAX_TICKS_AT_ONCE = 8,
    MAX_PERIODS_LATE = 4
};

/* ---- Taking samples ---------------------------------------------------------------- */

static void take_sample(const void *context, uint32_t cpu, uint64_t thread,
                        uint64_t n_times)
{
    struct unwind_registers registers;
    struct unwind_result result;
    uint64_t pcs[FXT_SAMPLER_PCS_MAX];
    struct region_sample sample = {
        .process = (uint64_t)own_process, .thread = thread, .pcs = pcs};

    registers_take(context, &registers);
    sample.n_pcs = own_stack_walk(&registers, false, regions_now(), NULL, pcs,
                                  FXT_SAMPLER_PCS_MAX, &result);
    sample.end = (enum fxt_stack_end)(result.end + 1);
    while (n_times-- > 0)
        regions_write(cpu, &sample);
}

/* ---- What a signal is worth -------------------------------------------------------- */

/* How many periods pass, to begin with, until a thread's next signal. */
static uint64_t first_stretch(void)
{
    return throttle_stretch(signal_cost_ns(), atomic_load(&period));
}

uint64_t signal_handler_period(void)
{
    return first_stretch() * atomic_load(&period);
}

/* What the thread took before its first signal does not count, unless that is next to
 * nothing: then it has just begun. A thread that is attached once more has new timers.
 * Returns whether the signal is its first. */
static bool meet_session(pid_t thread, uint64_t now, struct region *region)
{
    unsigned number = atomic_load(&session_number);
    struct thread_timers timers = signal_counts_timers(thread);

    if (progress.session == number && progress.timers.cpu == timers.cpu)
        return false;
    progress = (struct progress){
        .session = number, .timers = timers, .throttle.stretch = first_stretch()};
    progress.cpu_ns = now / 4 < signal_handler_period() ? 0 : now;
    regions_count(&region->throttled, progress.throttle.stretch > 1);
    return true;
}

/* The thread's CPU time since it was sampled. */
static uint64_t time_since(uint64_t now)
{
    return now > progress.cpu_ns ? now - progress.cpu_ns : 0;
}

/* Rounds the CPU time that no sample stands for yet to whole periods; the rest is carried
 * over. After too long a time, where the thread is now says nothing of all of it. */
static uint64_t take_periods(uint64_t now)
{
    uint64_t period_ns = atomic_load(&period);
    uint64_t since = time_since(now);
    uint64_t n = (since + period_ns / 2) / period_ns;

    if (n > MAX_AT_ONCE || since > MAX_LATE_NS) {
        progress.cpu_ns = now;
        return 1;
    }
    progress.cpu_ns += n * period_ns;
    return n;
}

static void start_wall_timers(uint64_t due_ns)
{
    progress.timers.due_ns = due_ns;
    thread_timers_start_wall(&progress.timers,
                             progress.throttle.stretch * atomic_load(&period));
}

/* Whether the thread had to wait for a CPU when its signal was due, `apart_ns` after the
 * last one. */
static bool has_waited(uint64_t now, uint64_t wall_ns, uint64_t apart_ns,
                       uint64_t period_ns)
{
    uint64_t ran_ns = now - progress.signal_ns;

    if (apart_ns < ran_ns + period_ns / 8)
        return false;
    return apart_ns >= 2 * period_ns ||
           (wall_ns - progress.timers.due_ns) % period_ns > period_ns / 32;
}

/* A thread that hardly runs between signals is woken for nothing. */
static void count_waiting(bool is_waiting)
{
    progress.n_waited = is_waiting ? progress.n_waited + 1 : 0;
    if (progress.n_waited < 2)
        return;
    thread_timers_stop_wall(&progress.timers);
    thread_timer_set(progress.timers.cpu, atomic_load(&period));
}

/* The first signal of a thread. */
static uint64_t count_first(const siginfo_t *info, pid_t thread, uint64_t now)
{
    uint64_t stretch = progress.throttle.stretch;
    uint64_t period_ns = stretch * atomic_load(&period);
    uint64_t due_ns = signal_handler_first_ns(thread, period_ns);
    uint64_t since = time_since(now);

    if (info->si_overrun > 0)
        return since < 2 * period_ns ? 0 : take_periods(now);
    count_waiting(since < due_ns / 8);
    progress.cpu_ns = now;
    return since >= due_ns / 2 ? stretch : 0;
}

/* By wall-clock time: a thread that had to wait for a CPU is still where it lost it,
 * which is often where the kernel looks whether its turn is over, and makes no sample:
 * the next one stands for its time, too, and is due when the thread has run for the rest
 * of its period. What comes before that was pending: the other timer's signal. */
static uint64_t count_by_wall(uint64_t now, uint64_t wall_ns)
{
    uint64_t period_ns = progress.throttle.stretch * atomic_load(&period);
    uint64_t apart_ns = wall_ns - progress.signal_wall_ns;
    uint64_t ran_ns = now - progress.signal_ns;
    bool is_late = has_waited(now, wall_ns, apart_ns, period_ns);

    if (wall_ns < progress.timers.due_ns)
        return 0;
    /* The last signal was no progress. */
    if (!is_late || apart_ns < 2 * period_ns)
        count_waiting(ran_ns < progress.cost_ns + apart_ns / 8);
    if (!is_late || time_since(now) >= MAX_PERIODS_LATE * period_ns)
        return take_periods(now);
    if (progress.n_waited < 2)
        start_wall_timers(wall_ns + period_ns - time_since(now) % period_ns);
    return 0;
}

/* It uses CPU time again, for which the wall clock is more exact. */
static uint64_t count_by_wall_again(uint64_t now, uint64_t wall_ns)
{
    progress.n_waited = 0;
    thread_timer_set(progress.timers.cpu, 0);
    start_wall_timers(wall_ns + progress.throttle.stretch * atomic_load(&period));
    return take_periods(now);
}

/* By CPU time, periods that passed since the kernel looked last all come with one signal,
 * and where the thread is now is all that is known of them. */
static uint64_t count_by_cpu_time(int overrun)
{
    return overrun < MAX_TICKS_AT_ONCE ? 1 + (uint64_t)overrun : 1;
}

/* ---- What a signal costs ----------------------------------------------------------- */

/* If signals leave the thread too little of its time, their period is longer from now on.
 * A timer that is stopped because the thread waits is started with the new period. */
static void adjust_period(uint64_t now, uint64_t wall_ns, bool is_running,
                          struct region *region)
{
    uint64_t period_ns = atomic_load(&period);
    uint64_t before = progress.throttle.stretch;
    uint64_t cpu_ns = now - progress.signal_ns;

    if (!throttle_measure(&progress.throttle, progress.cost_ns, cpu_ns, period_ns))
        return;
    regions_count(&region->throttled, progress.throttle.stretch > before);
    if (is_running)
        start_wall_timers(wall_ns + period_ns * progress.throttle.stretch);
}

/* ---- The handler ------------------------------------------------------------------- */

static void take_samples(const void *context, uint32_t cpu, uint64_t value, uint64_t n)
{
    if (n > 0)
        take_sample(context, cpu, (uint64_t)thread_timer_thread(value), n);
    signal_counts_add(thread_timer_thread(value), n);
    if (n == 0)
        regions_count(&regions.all[cpu].skipped, 1);
    else
        regions_count(&regions.all[cpu].merged, n - 1);
}

/* Of a session with short periods, by either of the thread's timers. */
static void take_short_timer(const siginfo_t *info, const void *context, uint32_t cpu,
                             uint64_t value)
{
    struct region *region = &regions.all[cpu];
    pid_t thread = thread_timer_thread(value);
    uint64_t now = signal_cost_own_cpu_time();
    uint64_t wall_ns = regions_now();
    bool is_wall = thread_timer_is_wall(value);
    bool is_first = meet_session(thread, now, region);
    uint64_t n;

    if (!is_wall)
        n = count_by_wall_again(now, wall_ns);
    else if (is_first)
        n = count_first(info, thread, now);
    else
        n = count_by_wall(now, wall_ns);
    if (!is_first)
        adjust_period(now, wall_ns, !is_wall || progress.n_waited < 2, region);
    take_samples(context, cpu, value, n);
    progress.signal_ns = now;
    progress.signal_wall_ns = wall_ns;
    progress.cost_ns = signal_cost_own_cpu_time() - now + signal_cost_ns();
}

static void take_timer(const siginfo_t *info, const void *context, uint32_t cpu)
{
    uint64_t value = (uint64_t)(uintptr_t)info->si_value.sival_ptr;

    if (value == SIGNAL_COST_VALUE)
        signal_cost_take();
    else if (!fxt_gate_is_enabled(&regions.all[cpu].gate))
        thread_timer_set(info->si_timerid, 0);
    else if (atomic_load(&by_wall_clock))
        take_short_timer(info, context, cpu, value);
    else
        take_samples(context, cpu, value, count_by_cpu_time(info->si_overrun));
}

static void take_signal(int signal, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    int cpu = sched_getcpu();

    (void)signal;
    if (info->si_code == SI_TIMER && cpu >= 0 && (uint32_t)cpu < regions.n)
        take_timer(info, context, (uint32_t)cpu);
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

    if (own_process != getpid())
        own_space_forked();
    own_process = getpid();
    atomic_store(&period, period_ns);
    atomic_store(&by_wall_clock, is_wall_clock);
    own_space_prepare();
    return can_read_stacks() && sigaction(SIGPROF, &action, NULL) == 0;
}

void signal_handler_start(void)
{
    atomic_fetch_add(&session_number, 1);
}
