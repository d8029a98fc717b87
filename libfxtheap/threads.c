/* SPDX-License-Identifier: BSD-2-Clause */
/* See threads.h. */
#include "threads.h"

#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "text.h"

__thread struct thread thread_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

void thread_begin(struct table *t, uint32_t session)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    thread_self.id = (uint32_t)syscall(SYS_gettid);
    thread_self.session = session;
    thread_self.bytes_left = 0;
    thread_self.random = (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15 + thread_self.id +
                         (uint64_t)now.tv_sec;
    memset(thread_self.name, 0, sizeof(thread_self.name));
    thread_tell_name(t);
}

void thread_tell_name(struct table *t)
{
    struct heap_header_v1 *h = t->header;
    struct heap_thread_v1 *entry;
    char name[HEAP_NAME_SIZE];
    uint64_t at;

    text_thread_name(name);
    if (memcmp(name, thread_self.name, sizeof(name)) == 0)
        return;
    memcpy(thread_self.name, name, sizeof(name));
    at = __atomic_fetch_add(&h->threads_used, 1, __ATOMIC_RELAXED);
    if (at >= h->n_threads || !table_ask(t, &t->threads[at], sizeof(*entry))) {
        __atomic_fetch_add(&h->lost_threads, 1, __ATOMIC_RELAXED);
        return;
    }
    entry = &t->threads[at];
    memcpy(entry->name, name, sizeof(name));
    __atomic_store_n(&entry->thread, thread_self.id, __ATOMIC_RELEASE);
}

/* ---- Samples ----------------------------------------------------------------------- */

static uint64_t random_word(void)
{
    uint64_t word = thread_self.random += 0x9e3779b97f4a7c15;

    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
    word = (word ^ word >> 27) * 0x94d049bb133111eb;
    return word ^ word >> 31;
}

/* By von Neumann's comparisons: a run of numbers, each below the one before, has an odd
 * length with probability exp(-x) for the first number x in [0, 1); so x is the fraction,
 * and the number of runs of even length before it the whole part. */
uint64_t thread_next_sample(uint64_t mean)
{
    for (uint64_t whole = 0;; whole++) {
        uint64_t first = random_word();
        uint64_t last = first;
        uint64_t next;
        unsigned length = 1;

        while ((next = random_word()) < last) {
            last = next;
            length++;
        }
        if (length % 2 == 1)
            return whole * mean + ((first >> 40) * mean >> 24);
    }
}
