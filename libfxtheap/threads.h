/* SPDX-License-Identifier: BSD-2-Clause */
/* What a thread knows of itself. */
#ifndef LIBFXTHEAP_THREADS_H
#define LIBFXTHEAP_THREADS_H

#include <stdint.h>

#include "table.h"

struct thread {
    /* In samples: how many bytes are still to be allocated before the next one. 0 in
     * a thread that has not begun, and where all blocks are recorded. */
    uint64_t bytes_left;
    /* The session that this thread has begun in, which a fork changes. */
    uint32_t session;
    uint32_t id;
    /* The block that it has allocated last, if it has freed none since. */
    const void *last_block;
    uint64_t random;
    char name[HEAP_NAME_SIZE];
};

/* With this TLS model no call is needed to find it, which might allocate it. */
extern __thread struct thread thread_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The thread's first time in a session. */
void thread_begin(struct table *table, uint32_t session);

/* Puts the thread's name into the table, if it is not the one that is there. */
void thread_tell_name(struct table *table);

/* How many bytes to skip until the next sample: exponentially distributed random numbers
 * with mean `mean`, so that each byte is equally likely to be sampled, independent of
 * those before. `mean` is at most 2^40. */
uint64_t thread_next_sample(uint64_t mean);

#endif
