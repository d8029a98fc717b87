/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The new threads of a process that is sampled by signals: a thread of the session looks
 * for them from time to time. A thread that begins and ends between two looks is not
 * sampled; its CPU time is written as that of no known thread.
 */
#ifndef LIBFXTSAMPLER_SIGNAL_FOLLOW_H
#define LIBFXTSAMPLER_SIGNAL_FOLLOW_H

#include <pthread.h>
#include <stdatomic.h>

#include "signal_threads.h"

struct signal_follow {
    struct signal_threads *threads;
    /* Guards the threads. */
    pthread_mutex_t *lock;
    bool is_running;
    pthread_t thread;
    atomic_bool quit;
    /* The CPU time that this took, once it has ended. */
    uint64_t own_ns;
    /* The process's CPU time, and that of its known threads, when it began. */
    uint64_t process_begun_ns;
    uint64_t known_begun_ns;
};

/* The lock is held. Returns false if there can be no thread. */
bool signal_follow_start(struct signal_follow *follow);

/* The lock is not held. The threads are stopped after that. */
void signal_follow_stop(struct signal_follow *follow);

/* Then, with the lock held: writes the time of threads that were not found. */
void signal_follow_finish(struct signal_follow *follow);

#endif
