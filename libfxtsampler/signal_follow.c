/* SPDX-License-Identifier: BSD-2-Clause */
/* See signal_follow.h. */
#include "signal_follow.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/parallel.h"

/* A look takes no more than a fiftieth of the time: with thousands of threads looks are
 * rarer. */
enum { PAUSE_NS = 10000000, PAUSE_MAX_NS = 200000000, PAUSES_PER_LOOK = 50 };

static void pause_for(uint64_t ns)
{
    struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

    nanosleep(&time, NULL);
}

static uint64_t choose_pause(uint64_t look_ns)
{
    uint64_t pause_ns = PAUSES_PER_LOOK * look_ns;

    if (pause_ns > PAUSE_MAX_NS)
        return PAUSE_MAX_NS;
    return pause_ns > PAUSE_NS ? pause_ns : PAUSE_NS;
}

static void *run_follower(void *context)
{
    struct signal_follow *follow = context;

    pthread_mutex_lock(follow->lock);
    follow->threads->follower = (pid_t)syscall(SYS_gettid);
    pthread_mutex_unlock(follow->lock);
    while (!atomic_load(&follow->quit)) {
        uint64_t begun = clock_ns(CLOCK_THREAD_CPUTIME_ID);

        pthread_mutex_lock(follow->lock);
        signal_threads_look(follow->threads);
        pthread_mutex_unlock(follow->lock);
        pause_for(choose_pause(clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun));
    }
    follow->own_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return NULL;
}

bool signal_follow_start(struct signal_follow *follow)
{
    atomic_store(&follow->quit, false);
    follow->own_ns = 0;
    follow->process_begun_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    follow->known_begun_ns = signal_threads_cpu_ns(follow->threads);
    follow->is_running = parallel_start(&follow->thread, run_follower, follow);
    return follow->is_running;
}

void signal_follow_stop(struct signal_follow *follow)
{
    atomic_store(&follow->quit, true);
    pthread_join(follow->thread, NULL);
    follow->is_running = false;
}

void signal_follow_finish(struct signal_follow *follow)
{
    struct signal_threads *threads = follow->threads;
    uint64_t passed = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - follow->process_begun_ns;
    uint64_t known =
        signal_threads_cpu_ns(threads) - follow->known_begun_ns + follow->own_ns;

    threads->follower = 0;
    if (passed > known)
        threads->ended_ns +=
            signal_accounts_write_rest(&threads->accounts, passed - known);
}
