/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See signal_handler.h. The handler walks the frames of what it interrupted and writes a
 * sample to the region of the CPU that it runs on.
 *
 * In it nothing is allocated, nothing is waited for, no lock is taken, and nothing of a
 * session is touched but what its gates guard. The stack of whatever code was interrupted
 * is read by process_vm_readv, since a garbled frame pointer may lead anywhere: what
 * cannot be read is an error of that call, and not a fault.
 */
#include "signal_handler.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <fxt/unwind.h>

#include "context.h"
#include "regions.h"
#include "thread_timer.h"

/* The handler may run when there is no session any more. */
static pid_t own_process;
static atomic_bool by_wall_clock;
static atomic_uint_fast64_t period;

/* Counts sessions, from 1 on. */
static atomic_uint session_number;

/* A thread's, by the clock on the wall: of which session it is, up to which CPU time it
 * was sampled, how many signals in a row found it waiting, and its timer. The model means
 * that a signal handler finds it without a call that might allocate it. */
struct progress {
    unsigned session;
    uint64_t cpu_ns;
    unsigned n_waited;
    int wall_timer;
};

static __thread struct progress progress __attribute__((tls_model("initial-exec")));

/* ---- Reading stacks ---------------------------------------------------------------- */

/* The piece of the stack that was read last. Small, as it lies on a stack that may be an
 * alternate one with little room. */
struct window {
    uintptr_t address;
    size_t size;
    unsigned char bytes[512];
};

enum { WINDOW_PAGE = 4096, MAX_AT_ONCE = 100 };

/* How far above the stack pointer a frame may be. A frame pointer register that has
 * another use seldom holds an address between. */
#define STACK_REACH ((uintptr_t)16 << 20)

/* Reads what there is from an address on, up to the end of its page. */
static void read_window(struct window *window, uintptr_t address)
{
    size_t size = WINDOW_PAGE - address % WINDOW_PAGE;
    struct iovec to = {window->bytes, sizeof(window->bytes)};
    struct iovec from;
    ssize_t n;

    if (size < to.iov_len)
        to.iov_len = size;
    memcpy(&from.iov_base, &address, sizeof(address));
    from.iov_len = to.iov_len;
    /* Words, each: what is passed on the stack is not widened. */
    n = syscall(SYS_process_vm_readv, (long)own_process, &to, 1L, &from, 1L, 0L);
    window->address = address;
    window->size = n > 0 ? (size_t)n : 0;
}

static bool read_word(struct window *window, uintptr_t address, uintptr_t *word)
{
    if (address < window->address || address - window->address >= window->size)
        read_window(window, address);
    if (window->size - (address - window->address) < sizeof(*word) || window->size == 0)
        return false;
    memcpy(word, window->bytes + (address - window->address), sizeof(*word));
    return true;
}

static bool read_frame(void *context, uintptr_t address, uintptr_t words[2])
{
    struct window *window = context;

    return read_word(window, address, &words[0]) &&
           read_word(window, address + sizeof(words[0]), &words[1]);
}

/* ---- Taking samples ---------------------------------------------------------------- */

static void take_sample(const void *context, uint32_t cpu, uint64_t thread,
                        uint64_t n_times)
{
    struct window window;
    struct fxt_unwind from = {.read = read_frame, .context = &window};
    uint64_t pcs[FXT_SAMPLER_PCS_MAX];
    uint64_t n_pcs;

    window.address = 0;
    window.size = 0;
    context_start(context, &from);
    from.stack_high = from.stack_low < UINTPTR_MAX - STACK_REACH
                          ? from.stack_low + STACK_REACH
                          : UINTPTR_MAX;
    n_pcs = fxt_unwind_walk(&from, pcs, FXT_SAMPLER_PCS_MAX);
    while (n_times-- > 0)
        regions_write(cpu, 0, (uint64_t)own_process, thread, pcs, n_pcs);
}

/* ---- What a signal is worth -------------------------------------------------------- */

static uint64_t own_cpu_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The thread's CPU time since it was sampled. What it took before its first signal does
 * not count, unless that is next to nothing: then it has just begun. */
static uint64_t time_since(uint64_t now, uint64_t period_ns)
{
    unsigned number = atomic_load(&session_number);

    if (progress.session != number) {
        progress.session = number;
        progress.cpu_ns = now / 4 < period_ns ? 0 : now;
    }
    return now > progress.cpu_ns ? now - progress.cpu_ns : 0;
}

/* By the clock on the wall: a thread that had to wait for a CPU is where it was stopped,
 * and this is no sample; one that has hardly run again was woken for nothing, and is left
 * alone until it takes CPU time. Time that was missed is no reason to count another place
 * twice: what all samples stand for is measured. */
static uint64_t count_by_wall(int overrun, int wall_timer, int cpu_timer)
{
    uint64_t period_ns = atomic_load(&period);
    uint64_t now = own_cpu_time();
    uint64_t since = time_since(now, period_ns);

    progress.wall_timer = wall_timer;
    progress.cpu_ns = now;
    if (overrun > 0)
        return 0;
    progress.n_waited = since < period_ns / 8 ? progress.n_waited + 1 : 0;
    if (progress.n_waited > 1) {
        thread_timer_set(wall_timer, 0);
        thread_timer_set(cpu_timer, period_ns);
    }
    return since >= period_ns / 2;
}

/* It takes CPU time again, for which the clock on the wall is more exact. What it took
 * until a tick of the kernel's met it are whole periods, to the nearest; the rest is for
 * the next time. */
static uint64_t count_by_wall_again(int cpu_timer)
{
    uint64_t period_ns = atomic_load(&period);
    uint64_t now = own_cpu_time();
    uint64_t n = (time_since(now, period_ns) + period_ns / 2) / period_ns;

    progress.n_waited = 0;
    thread_timer_set(cpu_timer, 0);
    thread_timer_set(progress.wall_timer, period_ns);
    progress.cpu_ns = n > MAX_AT_ONCE ? now : progress.cpu_ns + n * period_ns;
    return n > MAX_AT_ONCE ? MAX_AT_ONCE : n;
}

/* By CPU time, periods that passed since the kernel looked last all come with one signal,
 * and where the thread is now is all that is known of them. */
static uint64_t count_samples(const siginfo_t *info, uint64_t value)
{
    if (thread_timer_is_wall(value))
        return count_by_wall(info->si_overrun, info->si_timerid,
                             thread_timer_cpu_timer(value));
    if (atomic_load(&by_wall_clock))
        return count_by_wall_again(info->si_timerid);
    return info->si_overrun < MAX_AT_ONCE ? 1 + (uint64_t)info->si_overrun : MAX_AT_ONCE;
}

/* ---- The handler ------------------------------------------------------------------- */

static void take_timer(const siginfo_t *info, const void *context, uint32_t cpu)
{
    uint64_t value = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
    uint64_t n;

    if (!fxt_gate_is_enabled(&regions.all[cpu].gate)) {
        thread_timer_set(info->si_timerid, 0);
        return;
    }
    n = count_samples(info, value);
    if (n > 0)
        take_sample(context, cpu, (uint64_t)thread_timer_thread(value), n);
    if (n == 0)
        regions_count(&regions.all[cpu].skipped, 1);
    else
        regions_count(&regions.all[cpu].merged, n - 1);
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
    struct window window = {.size = 0};
    uintptr_t address;
    const uintptr_t *at = &word;

    memcpy(&address, &at, sizeof(address));
    return read_word(&window, address, &copy) && copy == word;
}

/* The handler stays for good: a last signal may be under way for long. */
bool signal_handler_install(uint64_t period_ns, bool is_wall_clock)
{
    struct sigaction action = {.sa_sigaction = take_signal,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};

    own_process = getpid();
    atomic_fetch_add(&session_number, 1);
    atomic_store(&period, period_ns);
    atomic_store(&by_wall_clock, is_wall_clock);
    return can_read_stacks() && sigaction(SIGPROF, &action, NULL) == 0;
}
