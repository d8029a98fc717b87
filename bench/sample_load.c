/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fixed amount of work at the end of a stack of 20 frames, for bench/sampler.py:
 *
 *     sample_load ROUNDS [PERIOD_US]
 *
 * With a period it gets signals, as fxtrecord's, from two timers that take turns; they
 * have a handler that does nothing, which is the least that any signal costs.
 *
 * A quarter of it is in the kernel: reads of a file that is a hole. Signals do not cut
 * these short. They do reads of /dev/zero; and on a processor on which that was measured,
 * these are a sixth slower for some ten milliseconds after that, whatever the signal was
 * for: as much with 100 signals a second as with 1,000. Prints the CPU time of the work,
 * and what the process took before it, in nanoseconds, as JSON, and the number of
 * signals.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "libfxtsampler/thread_timer.h"

#if defined(__clang__)
#define OWN_FRAME __attribute__((noinline))
#else
#define OWN_FRAME __attribute__((noinline, noclone))
#endif

/* With main, the three functions that lead to it, and those that do the work. */
enum { DEPTH = 13, PIECE = 1 << 16 };

struct load {
    unsigned long n_rounds;
    int file;
    uint64_t hash;
    unsigned char piece[PIECE];
};

static OWN_FRAME void compute(struct load *load)
{
    for (unsigned i = 0; i < 40000; i++)
        load->hash = (load->hash ^ i) * 0x9e3779b97f4a7c15 >> 1;
}

static OWN_FRAME void read_hole(struct load *load)
{
    for (unsigned i = 0; i < 8; i++)
        load->hash += (uint64_t)pread(load->file, load->piece, PIECE, 0);
}

static OWN_FRAME void work(struct load *load)
{
    for (unsigned long i = 0; i < load->n_rounds; i++) {
        compute(load);
        read_hole(load);
    }
}

/* What it does after the call keeps its frame. */
static OWN_FRAME uint64_t descend(struct load *load, unsigned n)
{
    if (n == 0)
        work(load);
    else
        load->hash += descend(load, n - 1);
    return load->hash ^ n;
}

/* ---- Signals ----------------------------------------------------------------------- */

static volatile sig_atomic_t n_signals;

static void count_signal(int signal)
{
    (void)signal;
    n_signals = n_signals + 1;
}

static bool start_signals(uint64_t period_ns)
{
    struct sigaction action = {.sa_handler = count_signal,
                               .sa_flags = SA_RESTART | SA_ONSTACK};
    struct thread_timers timers = {.due_ns = clock_ns(CLOCK_MONOTONIC) + period_ns};

    if (sigaction(SIGPROF, &action, NULL) != 0)
        return false;
    for (int i = 0; i < THREAD_TIMERS_WALL; i++) {
        if (!thread_timer_make(CLOCK_MONOTONIC, (pid_t)syscall(SYS_gettid), 0,
                               &timers.wall[i]))
            return false;
    }
    thread_timers_start_wall(&timers, period_ns);
    return true;
}

int main(int argc, char **argv)
{
    static struct load load;
    uint64_t before;
    uint64_t begun;
    uint64_t total;

    load.n_rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    load.file = memfd_create("hole", 0);
    if (load.file < 0 || ftruncate(load.file, PIECE) != 0)
        return 1;
    if (argc > 2 && !start_signals(strtoull(argv[2], NULL, 10) * 1000))
        return 1;
    before = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    begun = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    descend(&load, DEPTH);
    total = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun;
    printf("{\"total\": %" PRIu64 ", \"before\": %" PRIu64 ", \"hash\": %" PRIu64
           ", \"signals\": %d}\n",
           total, before, load.hash % 1000, (int)n_signals);
    return 0;
}
