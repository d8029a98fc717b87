/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads that do not run, as far as context switches and wakeups have shown it: an
 * archive that begins while they wait has to say so, since their next records do not.
 */
#ifndef LIBFXTSAMPLER_WAITING_H
#define LIBFXTSAMPLER_WAITING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched_records.h"

/* The kernel has no ids beyond these. */
enum { WAITING_THREADS_MAX = 1 << 22, WAITING_CHUNK = 1 << 10 };

struct waiting_thread;

/* All zero is empty. */
struct waiting {
    /* By the ids of threads; each is NULL, or has WAITING_CHUNK of them. */
    struct waiting_thread *chunks[WAITING_THREADS_MAX / WAITING_CHUNK];
    /* Of the PCs of all stacks, which are limited. */
    size_t n_bytes;
    /* When records were lost last: a thread that has waited since before may have run,
     * and ended. */
    uint64_t last_loss_ns;
};

/* A thread was switched out in a state; without memory, nothing is known of it. The PCs
 * of the stack are copied. */
void waiting_add(struct waiting *waiting, const struct waiting_record *thread);

/* A thread was woken, which may be new. */
void waiting_wake(struct waiting *waiting, const struct wakeup_record *wakeup);

/* It runs; or it has ended. */
void waiting_run(struct waiting *waiting, uint32_t thread);
void waiting_end(struct waiting *waiting, uint32_t thread);

void waiting_note_loss(struct waiting *waiting, uint64_t time);

/* Writes, for each thread that is there, that it waits at `time`. */
void waiting_write(struct waiting *waiting, uint64_t time);

/* Leaves it empty. */
void waiting_free(struct waiting *waiting);

#endif
