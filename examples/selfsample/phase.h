/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The truth that the samples are measured against: the CPU time that a thread spends in
 * each phase of its work, taken from the thread's own clock where the phase begins and
 * where it ends. A phase is a function of the same name, and its time includes what it
 * calls.
 */
#ifndef SELFSAMPLE_PHASE_H
#define SELFSAMPLE_PHASE_H

#include <stdint.h>
#include <time.h>

enum phase {
    PHASE_WORK_UNTIL_STOPPED,
    PHASE_DO_ROUND,
    PHASE_USE_NUMBERS,
    PHASE_MAKE_NUMBERS,
    PHASE_HASH_NUMBERS,
    PHASE_SORT_NUMBERS,
    PHASE_SOLVE_QUEENS,
    N_PHASES
};

/* One thread's. */
struct truth {
    uint64_t cpu_ns[N_PHASES];
    uint64_t n_calls[N_PHASES];
};

/* What a phase begins with, and passes to phase_end. */
static inline uint64_t phase_begin(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline void phase_end(struct truth *truth, enum phase phase, uint64_t begun)
{
    truth->cpu_ns[phase] += phase_begin() - begun;
    truth->n_calls[phase]++;
}

#endif
