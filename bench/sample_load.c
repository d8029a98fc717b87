/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fixed amount of work at the end of a stack of 20 frames, for bench/sampler.py:
 *
 *     sample_load ROUNDS
 *
 * A quarter of it is in the kernel: reads of a file that is a hole. Signals do not cut
 * these short. They do reads of /dev/zero; and on a processor on which that was measured,
 * these are a sixth slower for some ten milliseconds after that, whatever the signal was
 * for: as much with 100 signals a second as with 1,000. Prints the CPU time of the work,
 * and what the process took before it, in nanoseconds, as JSON.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

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

static uint64_t cpu_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

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
    before = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
    begun = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    descend(&load, DEPTH);
    total = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begun;
    printf("{\"total\": %" PRIu64 ", \"before\": %" PRIu64 ", \"hash\": %" PRIu64 "}\n",
           total, before, load.hash % 1000);
    return 0;
}
