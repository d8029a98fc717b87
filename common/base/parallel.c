/* SPDX-License-Identifier: BSD-2-Clause */
/* See parallel.h. */
#include "parallel.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "memory.h"

struct work {
    /* The source of the caller's memory, and why a thread could not continue; or NULL. */
    struct memory_pool *pool;
    _Atomic(const char *) why;
    parallel_fn *run;
    void *context;
    size_t n_pieces;
    atomic_size_t next;
};

struct thread {
    struct work *work;
    size_t number;
    pthread_t id;
};

size_t parallel_cpus(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return 1;
    return CPU_COUNT(&set) > 0 ? (size_t)CPU_COUNT(&set) : 1;
}

static void take_pieces(void *context)
{
    const struct thread *thread = (const struct thread *)context;
    struct work *work = thread->work;

    for (;;) {
        size_t piece = atomic_fetch_add(&work->next, 1);

        if (piece >= work->n_pieces || atomic_load(&work->why) != NULL)
            return;
        work->run(work->context, thread->number, piece);
    }
}

static void *work_on(void *argument)
{
    struct thread *thread = (struct thread *)argument;
    const char *why = memory_run(thread->work->pool, take_pieces, thread);

    if (why != NULL)
        atomic_store(&thread->work->why, why);
    return NULL;
}

void parallel_run(size_t n_threads, size_t n_pieces, parallel_fn *run, void *context)
{
    struct work work = {.pool = memory_pool_in_use(),
                        .run = run,
                        .context = context,
                        .n_pieces = n_pieces};
    const char *why;
    struct thread threads[PARALLEL_MAX];
    size_t n_started = 1;

    assert(n_threads > 0 && run != NULL);
    threads[0] = (struct thread){.work = &work};
    while (n_started < n_threads && n_started < PARALLEL_MAX) {
        struct thread *thread = &threads[n_started];

        *thread = (struct thread){.work = &work, .number = n_started};
        if (pthread_create(&thread->id, NULL, work_on, thread) != 0)
            break;
        n_started++;
    }
    work_on(&threads[0]);
    for (size_t i = 1; i < n_started; i++)
        pthread_join(threads[i].id, NULL);
    why = atomic_load(&work.why);
    if (why != NULL)
        memory_fail(why);
}
