/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of each thread of this process by its id: its timers, how many samples it
 * has made by signals, and the rest of its CPU time: a thread that blocks SIGPROF makes
 * none, and its time must not be taken for that of others.
 */
#ifndef LIBFXTSAMPLER_SIGNAL_COUNTS_H
#define LIBFXTSAMPLER_SIGNAL_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "thread_timer.h"

/* Makes room for the count of a thread, which is 0 then. Returns false if there is no
 * memory. */
bool signal_counts_begin(pid_t thread);

/* Keeps a thread's timers, which its signal handler starts and stops. For a thread that
 * has begun; before its timers are started. */
void signal_counts_keep_timers(pid_t thread, const struct thread_timers *timers);

/* May be called from a signal handler. All are -1, no timer's number, if the thread has
 * not begun. */
struct thread_timers signal_counts_timers(pid_t thread);

/* Counts samples that a thread has made. May be called from a signal handler. */
void signal_counts_add(pid_t thread, uint64_t n);

uint64_t signal_counts_get(pid_t thread);

/* A thread that is not sampled any more: the CPU time that it has taken, and the samples
 * that it has made. */
struct signal_account {
    pid_t thread;
    uint64_t cpu_ns;
    uint64_t n;
};

/* Those of a session. All zero is none. */
struct signal_accounts {
    struct signal_account *all;
    size_t n;
    size_t capacity;
    uint64_t period_ns;
    /* Signals come by the clock on the wall, and some of them too late to make a sample:
     * samples stand for more than a period, and how much is known when all are there. */
    bool by_wall_clock;
    /* What a sample stands for, once they are settled. */
    uint64_t sample_ns;
};

/* Takes a thread's account. Time in which it could not be sampled, if that is more than
 * an eighth, is written: as samples, each of which stands for a period. */
void signal_accounts_add(struct signal_accounts *accounts, struct signal_account account);

/* By wall clock: writes it of all threads that were added. */
void signal_accounts_settle(struct signal_accounts *accounts);

/* Writes samples of no known thread: the CPU time of threads that were not found. Returns
 * what they stand for: 0 if that is next to nothing. */
uint64_t signal_accounts_write_rest(const struct signal_accounts *accounts,
                                    uint64_t cpu_ns);

#endif
