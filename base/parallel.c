/* SPDX-License-Identifier: BSD-2-Clause */
/* See parallel.h. */
#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct work {
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

static void *work_on(void *argument)
{
    const struct thread *thread = (const struct thread *)argument;
    struct work *work = thread->work;

    for (;;) {
        size_t piece = atomic_fetch_add(&work->next, 1);

        if (piece >= work->n_pieces)
            return NULL;
        work->run(work->context, thread->number, piece);
    }
}

void parallel_run(size_t n_threads, size_t n_pieces, parallel_fn *run, void *context)
{
    struct work work = {.run = run, .context = context, .n_pieces = n_pieces};
    struct thread threads[PARALLEL_MAX];
    size_t n_started = 1;

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
}
