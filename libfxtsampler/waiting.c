/* SPDX-License-Identifier: BSD-2-Clause */
/* See waiting.h. */
#include "waiting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What all stacks may take; threads beyond that wait without one. */
enum { STACK_BYTES_MAX = 32 << 20 };

struct waiting_thread {
    bool waits;
    struct waiting_record record;
    /* The PCs of its stack, and how many there is room for. */
    uint64_t *pcs;
    uint32_t capacity;
};

/* NULL for an id that there is not, or that has no room. */
static struct waiting_thread *find(struct waiting *waiting, uint32_t thread, bool add)
{
    struct waiting_thread **chunk;

    if (thread == 0 || thread >= WAITING_THREADS_MAX)
        return NULL;
    chunk = &waiting->chunks[thread / WAITING_CHUNK];
    if (*chunk == NULL && add)
        *chunk = calloc(WAITING_CHUNK, sizeof(**chunk));
    return *chunk != NULL ? &(*chunk)[thread % WAITING_CHUNK] : NULL;
}

static bool make_room(struct waiting *waiting, struct waiting_thread *thread,
                      uint32_t n_pcs)
{
    size_t size = n_pcs * sizeof(*thread->pcs);
    size_t before = thread->capacity * sizeof(*thread->pcs);
    uint64_t *pcs;

    if (n_pcs <= thread->capacity)
        return true;
    if (size > STACK_BYTES_MAX - (waiting->n_bytes - before))
        return false;
    pcs = realloc(thread->pcs, size);
    if (pcs == NULL)
        return false;
    thread->pcs = pcs;
    thread->capacity = n_pcs;
    waiting->n_bytes += size - before;
    return true;
}

void waiting_add(struct waiting *waiting, const struct waiting_record *record)
{
    struct waiting_thread *thread = find(waiting, record->stack.thread, true);

    if (thread == NULL)
        return;
    thread->waits = true;
    thread->record = *record;
    if (record->stack.n_pcs > 0 && make_room(waiting, thread, record->stack.n_pcs)) {
        memcpy(thread->pcs, record->stack.pcs,
               record->stack.n_pcs * sizeof(*thread->pcs));
    } else {
        thread->record.stack.n_pcs = 0;
        thread->record.stack.end = FXT_STACK_END_UNKNOWN;
    }
}

void waiting_wake(struct waiting *waiting, const struct wakeup_record *wakeup)
{
    struct waiting_thread *thread = find(waiting, wakeup->thread, true);
    struct waiting_record *record;

    if (thread == NULL)
        return;
    record = &thread->record;
    if (!thread->waits) {
        /* A wakeup of a thread that runs is one too late, and says nothing. */
        if (record->stack.thread == wakeup->thread)
            return;
        *record = (struct waiting_record){.cpu = wakeup->cpu,
                                          .state = FXT_THREAD_NEW,
                                          .since_ns = wakeup->time,
                                          .stack = {.thread = wakeup->thread}};
        thread->waits = true;
    } else if (record->is_woken || record->state == FXT_THREAD_RUNNING) {
        return;
    }
    record->is_woken = true;
    record->woken_ns = wakeup->time;
    record->waker = wakeup->waker;
}

void waiting_run(struct waiting *waiting, uint32_t thread)
{
    struct waiting_thread *found = find(waiting, thread, true);

    if (found == NULL)
        return;
    found->waits = false;
    found->record.stack.thread = thread;
}

static void forget(struct waiting *waiting, struct waiting_thread *thread)
{
    waiting->n_bytes -= thread->capacity * sizeof(*thread->pcs);
    free(thread->pcs);
    *thread = (struct waiting_thread){.waits = false};
}

void waiting_end(struct waiting *waiting, uint32_t thread)
{
    struct waiting_thread *found = find(waiting, thread, false);

    if (found != NULL)
        forget(waiting, found);
}

void waiting_note_loss(struct waiting *waiting, uint64_t time)
{
    if (time > waiting->last_loss_ns)
        waiting->last_loss_ns = time;
}

/* ---- Writing ----------------------------------------------------------------------- */

static bool exists(uint32_t thread)
{
    char path[32];

    snprintf(path, sizeof(path), "/proc/%u", (unsigned)thread);
    return access(path, F_OK) == 0 || errno != ENOENT;
}

static void write_thread(struct waiting *waiting, struct waiting_thread *thread,
                         uint64_t time)
{
    struct waiting_record record = thread->record;

    if (record.since_ns <= waiting->last_loss_ns && !exists(record.stack.thread)) {
        forget(waiting, thread);
        return;
    }
    record.time = time;
    record.stack.pcs = thread->pcs;
    sched_write_waiting(&record);
}

void waiting_write(struct waiting *waiting, uint64_t time)
{
    for (size_t i = 0; i < WAITING_THREADS_MAX / WAITING_CHUNK; i++) {
        for (size_t k = 0; waiting->chunks[i] != NULL && k < WAITING_CHUNK; k++) {
            if (waiting->chunks[i][k].waits)
                write_thread(waiting, &waiting->chunks[i][k], time);
        }
    }
}

void waiting_free(struct waiting *waiting)
{
    for (size_t i = 0; i < WAITING_THREADS_MAX / WAITING_CHUNK; i++) {
        for (size_t k = 0; waiting->chunks[i] != NULL && k < WAITING_CHUNK; k++)
            free(waiting->chunks[i][k].pcs);
        free(waiting->chunks[i]);
    }
    *waiting = (struct waiting){.n_bytes = 0};
}
