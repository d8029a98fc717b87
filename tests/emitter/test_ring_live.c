/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings while both sides run, and when one of them is killed. */
#include <fxt/emit.h>
#include <fxt/ring.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "drained.h"

enum { RING_BYTES = 1 << 13, BUFFER_BYTES = 1 << 12, N_LIVE = 100000 };

static uint64_t drain(struct fxt_ring *ring, struct drained *drained)
{
    unsigned char buffer[BUFFER_BYTES];
    uint64_t n = fxt_ring_read(ring, buffer, sizeof(buffer));

    drained_put(drained, buffer, n);
    return n;
}

/* ---- Two threads ------------------------------------------------------------------- */

struct live {
    struct fxt_emit emit;
    atomic_bool finished;
};

/* At times too fast for the consumer, at times too slow. */
static void *produce(void *context)
{
    struct live *live = (struct live *)context;

    for (uint64_t n = 0; n < N_LIVE; n++) {
        emit_numbered(&live->emit, n);
        if (mix(n) % 64 == 0)
            sched_yield();
    }
    while (!fxt_emit_drops(&live->emit))
        sched_yield();
    atomic_store(&live->finished, true);
    return NULL;
}

TEST(ring_live, a_consumer_beside_the_producer_misses_nothing_but_what_is_reported)
{
    unsigned char *memory = (unsigned char *)map_before_guard(RING_BYTES);
    struct live live = {.finished = false};
    struct drained drained;
    struct fxt_ring ring;
    pthread_t producer;
    bool finished;

    CHECK_TRUE(fxt_emit_init_ring(&live.emit, memory, RING_BYTES, 7));
    CHECK_TRUE(fxt_ring_open(&ring, memory, RING_BYTES));
    drained_start(&drained, 7);
    CHECK_EQ(pthread_create(&producer, NULL, produce, &live), 0);
    do {
        finished = atomic_load(&live.finished);
        while (drain(&ring, &drained) > 0)
            continue;
        sched_yield();
    } while (!finished);
    pthread_join(producer, NULL);
    CHECK_EQ(ring.faults, 0);
    CHECK_TRUE(drained.read.n_stacks > 0);
    drained_finish(&drained, N_LIVE, &live.emit);
    unmap(memory, RING_BYTES);
}

/* ---- A producer that is killed ----------------------------------------------------- */

static void nap(uint64_t ns)
{
    struct timespec time = {0, (long)ns};

    nanosleep(&time, NULL);
}

static void produce_until_killed(unsigned char *memory)
{
    struct fxt_emit emit;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    fxt_emit_init_ring(&emit, memory, RING_BYTES, 7);
    for (uint64_t n = 0;; n++)
        emit_numbered(&emit, n);
}

/* Drains for a while, kills the producer, and drains the rest. */
static void drain_and_kill(unsigned char *memory, pid_t child, uint64_t n_drains,
                           struct drained *drained)
{
    struct fxt_ring ring;
    int status;

    while (!fxt_ring_open(&ring, memory, RING_BYTES))
        sched_yield();
    for (uint64_t i = 0; i < n_drains;)
        i += drain(&ring, drained) > 0;
    kill(child, SIGKILL);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    while (drain(&ring, drained) > 0)
        continue;
    CHECK_EQ(ring.faults, 0);
}

TEST(ring_live, a_killed_producer_leaves_whole_records)
{
    enum { ROUNDS = 60 };
    uint64_t n_stacks = 0;

    for (uint64_t round = 0; round < ROUNDS; round++) {
        unsigned char *memory = (unsigned char *)map_before_guard(RING_BYTES);
        struct drained drained;
        pid_t child;

        drained_start(&drained, 7);
        child = fork();
        CHECK_TRUE(child >= 0);
        if (child == 0) {
            produce_until_killed(memory);
            _exit(1);
        }
        if (round % 2 == 0)
            nap(mix(round) % 200000);
        drain_and_kill(memory, child, mix(round) % 40, &drained);
        n_stacks += drained.read.n_stacks;
        CHECK_EQ(fxt_reader_finish(drained.read.reader, NULL), FXT_OK);
        fxt_reader_destroy(drained.read.reader);
        unmap(memory, RING_BYTES);
    }
    CHECK_TRUE(n_stacks > ROUNDS);
}
