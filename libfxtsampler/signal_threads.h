/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that a session samples by signals, and their timers. */
#ifndef LIBFXTSAMPLER_SIGNAL_THREADS_H
#define LIBFXTSAMPLER_SIGNAL_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <fxt/sampler.h>

#include "signal_counts.h"

struct sampled {
    pid_t thread;
    struct thread_timers timers;
    bool has_wall_timers;
    /* Its CPU time and its samples when the session began to run, or it was attached
     * later. */
    uint64_t begun_ns;
    uint64_t n_begun;
    /* Its CPU time when it was last looked at; and which look that was. */
    uint64_t seen_ns;
    uint64_t look;
    /* It is not sampled any more, and not to be found again. */
    bool is_detached;
};

/* All zero is none. */
struct signal_threads {
    struct sampled *all;
    size_t n;
    size_t capacity;
    /* Where to look for a thread first. */
    size_t next;
    uint64_t tick_ns;
    bool is_running;
    /* New ones are looked for; how often, and the thread that does it, which is never
     * sampled. */
    bool follows;
    uint64_t n_looks;
    pid_t follower;
    /* The CPU time of threads that were sampled and are not any more, and what of it made
     * no samples. */
    uint64_t ended_ns;
    struct signal_accounts accounts;
};

/* Returns FXT_SAMPLER_OK, or why the thread cannot be sampled; `is_new` if it has begun
 * while the session runs. */
enum fxt_sampler_code signal_threads_add(struct signal_threads *threads, pid_t thread,
                                         bool is_new);

/* Adds all threads of this process, until no new ones are found. */
enum fxt_sampler_code signal_threads_add_all(struct signal_threads *threads, bool is_new);

enum fxt_sampler_code signal_threads_detach(struct signal_threads *threads, pid_t thread);

/* Removes those that were added last, down to `n`, as if they had never been added. */
void signal_threads_remove(struct signal_threads *threads, size_t n);

/* Adds new threads, and takes away those that have ended. */
void signal_threads_look(struct signal_threads *threads);

void signal_threads_start(struct signal_threads *threads);

/* Writes what threads have taken and made no samples of: the gates must be open. */
void signal_threads_stop(struct signal_threads *threads);

/* The CPU time that threads have taken while they were sampled. */
uint64_t signal_threads_cpu_ns(const struct signal_threads *threads);

void signal_threads_free(struct signal_threads *threads);

#endif
