/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads, and work that several of them share. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* More threads than this are never started. */
enum { PARALLEL_MAX = 256 };

/* How many processors this program may use; at least 1. */
size_t parallel_cpus(void);

/* A piece of the work, by one of the threads 0, 1, 2 and so on. */
typedef void parallel_fn(void *context, size_t thread, size_t piece);

/*
 * Does the pieces 0 to n_pieces - 1, each once, on up to n_threads threads, including
 * this one; a free thread takes the next piece. If fewer threads can be created, those do
 * all the work. Returns when all is done.
 */
void parallel_run(size_t n_threads, size_t n_pieces, parallel_fn *run, void *context);

/* Starts a thread that takes no signals, which are for those of the program. Returns
 * false if there is none to be had. */
static inline bool parallel_start(pthread_t *thread, void *(*run)(void *), void *context)
{
    sigset_t all;
    sigset_t before;
    bool is_started;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    is_started = pthread_create(thread, NULL, run, context) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

#endif
