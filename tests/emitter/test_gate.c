/* SPDX-License-Identifier: BSD-2-Clause */
/* The gate: which writers enter, and that none is inside once it is quiet. The last tests
 * mean most under the thread sanitizer, which sees what is not ordered. */
#include <fxt/emit.h>
#include <fxt/gate.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "tests/support/equal.h"

/* ---- One thread -------------------------------------------------------------------- */

TEST(gate, memory_that_is_zero_is_a_closed_gate)
{
    struct fxt_gate gate;
    struct fxt_gate zero = {0};

    memset(&gate, 0xff, sizeof(gate));
    fxt_gate_init(&gate);
    CHECK_BYTES(&gate, &zero, sizeof(gate));
    CHECK_TRUE(!fxt_gate_is_enabled(&gate));
    CHECK_TRUE(!fxt_gate_enter(&gate));
    CHECK_TRUE(!fxt_gate_arm(&gate));
    CHECK_TRUE(fxt_gate_is_quiet(&gate));
    CHECK_BYTES(&gate, &zero, sizeof(gate));
}

TEST(gate, one_writer_gets_in_and_its_interrupts_do_not)
{
    struct fxt_gate gate = {0};

    fxt_gate_enable(&gate);
    CHECK_TRUE(fxt_gate_is_enabled(&gate));
    for (int round = 0; round < 3; round++) {
        CHECK_TRUE(fxt_gate_enter(&gate));
        CHECK_TRUE(!fxt_gate_enter(&gate));
        CHECK_TRUE(!fxt_gate_enter(&gate));
        CHECK_TRUE(!fxt_gate_is_quiet(&gate));
        fxt_gate_leave(&gate);
        CHECK_TRUE(fxt_gate_is_quiet(&gate));
    }
}

TEST(gate, a_write_that_continues_keeps_a_disabled_gate_from_being_quiet)
{
    struct fxt_gate gate = {0};

    fxt_gate_enable(&gate);
    CHECK_TRUE(fxt_gate_enter(&gate));
    fxt_gate_disable(&gate);
    CHECK_TRUE(!fxt_gate_is_enabled(&gate));
    CHECK_TRUE(!fxt_gate_is_quiet(&gate));
    /* A writer that is refused does not make it quiet. */
    CHECK_TRUE(!fxt_gate_enter(&gate));
    CHECK_TRUE(!fxt_gate_is_quiet(&gate));
    fxt_gate_leave(&gate);
    CHECK_TRUE(fxt_gate_is_quiet(&gate));
    CHECK_TRUE(!fxt_gate_enter(&gate));
    CHECK_TRUE(fxt_gate_is_quiet(&gate));
}

TEST(gate, a_timer_that_is_set_keeps_it_from_being_quiet_until_it_is_gone)
{
    struct fxt_gate gate = {0};

    fxt_gate_enable(&gate);
    CHECK_TRUE(fxt_gate_arm(&gate));
    CHECK_TRUE(fxt_gate_arm(&gate));
    fxt_gate_disable(&gate);
    CHECK_TRUE(!fxt_gate_is_quiet(&gate));
    /* The handler ran and found out. */
    CHECK_TRUE(!fxt_gate_arm(&gate));
    CHECK_TRUE(fxt_gate_is_quiet(&gate));
    /* Or the timer was cancelled; a write may continue then. */
    fxt_gate_enable(&gate);
    CHECK_TRUE(fxt_gate_arm(&gate));
    CHECK_TRUE(fxt_gate_enter(&gate));
    fxt_gate_disable(&gate);
    fxt_gate_disarm(&gate);
    CHECK_TRUE(!fxt_gate_is_quiet(&gate));
    fxt_gate_leave(&gate);
    CHECK_TRUE(fxt_gate_is_quiet(&gate));
}

/* ---- Several threads at one gate --------------------------------------------------- */

enum { N_THREADS = 3, N_TURNS = 20000 };

struct shared {
    struct fxt_gate gate;
    /* Not atomic: the gate is all that keeps the threads apart. */
    uint64_t count;
    uint64_t copy;
};

static void *take_turns(void *context)
{
    struct shared *shared = (struct shared *)context;

    for (int done = 0; done < N_TURNS;) {
        if (!fxt_gate_enter(&shared->gate)) {
            sched_yield();
            continue;
        }
        CHECK_EQ(shared->copy, shared->count);
        shared->count++;
        shared->copy++;
        fxt_gate_leave(&shared->gate);
        done++;
    }
    return NULL;
}

TEST(gate, threads_at_one_gate_are_never_inside_together)
{
    struct shared shared = {{0}, 0, 0};
    pthread_t threads[N_THREADS];

    fxt_gate_enable(&shared.gate);
    for (int i = 0; i < N_THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, take_turns, &shared), 0);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK_EQ(shared.count, (uint64_t)N_THREADS * N_TURNS);
    CHECK_TRUE(fxt_gate_is_quiet(&shared.gate));
}

/* ---- A session that is stopped while CPUs write ------------------------------------ */

enum { N_CPUS = 3, N_SESSIONS = 200, REGION_WORDS = 4096 };

/* A timer that expires once: the CPU that makes it idle again, either because it expires
 * there or by cancelling it, has it. */
enum { TIMER_IDLE, TIMER_SET };

struct cpu {
    struct fxt_gate gate;
    atomic_int timer;
    atomic_bool shut_down;
    /* Belong to the session: reused between two of them, with nothing but the gate to
     * say that it may be done. */
    struct fxt_emit emit;
    uint64_t *region;
    uint64_t n_handled;
    pthread_t thread;
};

static bool take_timer(struct cpu *cpu)
{
    int set = TIMER_SET;

    return atomic_compare_exchange_strong(&cpu->timer, &set, TIMER_IDLE);
}

static void set_timer(struct cpu *cpu)
{
    if (fxt_gate_arm(&cpu->gate))
        atomic_store(&cpu->timer, TIMER_SET);
}

/* The handler of the timer's interrupt. */
static void handle_timer(struct cpu *cpu)
{
    const uint64_t pcs[] = {1, 2, 3};

    if (fxt_gate_enter(&cpu->gate)) {
        fxt_emit_sample(&cpu->emit, cpu->n_handled++, 1, 2, pcs, 3);
        fxt_gate_leave(&cpu->gate);
    }
    set_timer(cpu);
}

/* How many timers went off, on any CPU. */
static atomic_uint n_timers;

static void *run_cpu(void *context)
{
    struct cpu *cpu = (struct cpu *)context;

    while (!atomic_load_explicit(&cpu->shut_down, memory_order_relaxed)) {
        if (take_timer(cpu)) {
            handle_timer(cpu);
            atomic_fetch_add(&n_timers, 1);
        } else {
            sched_yield();
        }
    }
    return NULL;
}

static void start_session(struct cpu *cpus)
{
    for (int i = 0; i < N_CPUS; i++) {
        memset(cpus[i].region, 0, REGION_WORDS * 8);
        fxt_emit_init(&cpus[i].emit, cpus[i].region, REGION_WORDS * 8);
        cpus[i].n_handled = 0;
        fxt_gate_enable(&cpus[i].gate);
    }
    for (int i = 0; i < N_CPUS; i++)
        set_timer(&cpus[i]);
}

static void stop_session(struct cpu *cpus)
{
    for (int i = 0; i < N_CPUS; i++)
        fxt_gate_disable(&cpus[i].gate);
    for (int i = 0; i < N_CPUS; i++) {
        if (take_timer(&cpus[i]))
            fxt_gate_disarm(&cpus[i].gate);
    }
    for (int i = 0; i < N_CPUS; i++) {
        while (!fxt_gate_is_quiet(&cpus[i].gate))
            sched_yield();
    }
}

/* The machine may have better things to do than to run these threads. */
static void wait_for_timers(unsigned n)
{
    unsigned start = atomic_load(&n_timers);

    while (atomic_load(&n_timers) - start < n)
        sched_yield();
}

/* What is there is whole and stays as it is. Returns the number of samples. */
static uint64_t check_session(struct cpu *cpus)
{
    uint64_t n = 0;

    for (int i = 0; i < N_CPUS; i++) {
        const uint64_t *region = cpus[i].region;
        uint64_t pos = 0;

        CHECK_EQ(atomic_load(&cpus[i].timer), TIMER_IDLE);
        for (; region[pos] != 0; pos += FXT_GET(region[pos], LARGE_WORDS)) {
            CHECK_EQ(region[pos + 2], pos / 9);
            n++;
        }
        CHECK_EQ(pos, cpus[i].emit.pos);
        CHECK_EQ(pos / 9 + cpus[i].emit.dropped_records, cpus[i].n_handled);
    }
    return n;
}

TEST(gate, a_session_is_stopped_while_other_cpus_write)
{
    static uint64_t regions[N_CPUS][REGION_WORDS];
    static struct cpu cpus[N_CPUS];
    uint64_t n = 0;

    for (int i = 0; i < N_CPUS; i++) {
        cpus[i].region = regions[i];
        fxt_gate_init(&cpus[i].gate);
        CHECK_EQ(pthread_create(&cpus[i].thread, NULL, run_cpu, &cpus[i]), 0);
    }
    for (int session = 0; session < N_SESSIONS; session++) {
        start_session(cpus);
        wait_for_timers((unsigned)session % 7);
        stop_session(cpus);
        n += check_session(cpus);
    }
    for (int i = 0; i < N_CPUS; i++) {
        atomic_store(&cpus[i].shut_down, true);
        pthread_join(cpus[i].thread, NULL);
    }
    CHECK(n > N_SESSIONS, "only %llu samples were written", (unsigned long long)n);
}
