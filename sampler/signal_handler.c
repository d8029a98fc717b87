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

/* The handler may run when there is no session any more. */
static pid_t own_process;
static atomic_bool by_wall_clock;
static atomic_uint_fast64_t period;

/* The CPU time of the thread when it was sampled last. The model means that a signal
 * handler finds it without a call that might allocate it. */
static __thread uint64_t last_cpu_ns __attribute__((tls_model("initial-exec")));

/* ---- Reading stacks ---------------------------------------------------------------- */

/* The piece of the stack that was read last. Small, as it lies on a stack that may be an
 * alternate one with little room. */
struct window {
    uintptr_t address;
    size_t size;
    unsigned char bytes[512];
};

enum { WINDOW_PAGE = 4096, MAX_OVERRUN = 99 };

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

/* By the clock on the wall: whether the thread has run since the last signal, and not
 * waited for a CPU just now, when the signal would come where the thread was stopped. */
static bool has_run(pid_t thread, int overrun)
{
    struct timespec now;
    uint64_t before = last_cpu_ns;
    uint64_t span = atomic_load(&period);

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    last_cpu_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    if (before == 0)
        span = signal_handler_first_ns(thread, span);
    return overrun == 0 && last_cpu_ns - before >= span / 2;
}

/* What a signal is worth: periods of CPU time that passed since the kernel looked last
 * all come with one signal, and where the thread is now is all that is known of them. */
static uint64_t count_samples(pid_t thread, int overrun)
{
    if (atomic_load(&by_wall_clock))
        return has_run(thread, overrun) ? 1 : 0;
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
    n = count_samples(info->si_value.sival_int, info->si_overrun);
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
    atomic_store(&period, period_ns);
    atomic_store(&by_wall_clock, is_wall_clock);
    return can_read_stacks() && sigaction(SIGPROF, &action, NULL) == 0;
}
