/* SPDX-License-Identifier: BSD-2-Clause */
/* libfxtsampler: samples by the counters of CPU cycles. A clock stands in for them here,
 * so that all but the counters is tried on machines without; where there are counters,
 * test_record_truth.py tries them, too. */
#include <errno.h>
#include <pthread.h>

#include "cycles_stand_in.h"
#include "sampled.h"

static struct fxt_sampler_config config_of_cycles(void)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_PERF);

    config.flags = FXT_SAMPLER_CYCLES;
    return config;
}

static uint64_t process_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void *spin_in_thread(void *unused)
{
    (void)unused;
    spin(50 * MS);
    return NULL;
}

static void spin_in_threads(void)
{
    pthread_t threads[4];

    for (unsigned i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, spin_in_thread, NULL) == 0, "no thread");
    for (unsigned i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

/* ---- Sampling ---------------------------------------------------------------------- */

TEST(sampler_cycles, a_process_is_sampled_by_cycles_and_its_time_is_known)
{
    struct fxt_sampler_config config = config_of_cycles();
    struct fxt_sampler *sampler = create(&config);
    struct fxt_sampler_counts counts;
    uint64_t begun;
    uint64_t taken;
    struct seen seen;

    if (sampler == NULL)
        return;
    CHECK(fxt_sampler_method(sampler) == FXT_SAMPLER_PERF, "another method");
    /* A cycle of the stand-in is a nanosecond. */
    CHECK(fxt_sampler_cycles(sampler) > config.period_ns / 10 * 9 &&
              fxt_sampler_cycles(sampler) < config.period_ns / 10 * 11,
          "a period of %llu cycles", (unsigned long long)fxt_sampler_cycles(sampler));
    expect(fxt_sampler_attach(sampler, FXT_SAMPLER_PROCESS, getpid()), FXT_SAMPLER_OK,
           "attach");
    begun = process_ns();
    expect(fxt_sampler_start(sampler), FXT_SAMPLER_OK, "start");
    spin_in_threads();
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    taken = process_ns() - begun;
    seen = read_all(sampler);
    expect(fxt_sampler_count(sampler, &counts), FXT_SAMPLER_OK, "count");
    CHECK(seen.n_samples >= 50 && seen.n_samples < 400, "%llu samples of 200",
          (unsigned long long)seen.n_samples);
    CHECK(counts.cpu_ns > taken / 10 * 8 && counts.cpu_ns < taken / 10 * 12,
          "%llu ns, and not %llu", (unsigned long long)counts.cpu_ns,
          (unsigned long long)taken);
    CHECK(counts.uncounted_ns == 0, "%llu ns of %llu were not counted",
          (unsigned long long)counts.uncounted_ns, (unsigned long long)taken);
    fxt_sampler_destroy(sampler);
}

TEST(sampler_cycles, the_system_is_sampled_by_cycles)
{
    struct fxt_sampler_config config = config_of_cycles();
    struct fxt_sampler *sampler = create(&config);
    struct fxt_sampler_counts counts;

    if (sampler == NULL)
        return;
    if (fxt_sampler_attach(sampler, FXT_SAMPLER_SYSTEM, 0) == FXT_SAMPLER_OK) {
        expect(fxt_sampler_start(sampler), FXT_SAMPLER_OK, "start");
        spin_until_sampled(sampler);
        expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
        CHECK(read_all(sampler).n_samples > 0, "no samples");
        expect(fxt_sampler_count(sampler, &counts), FXT_SAMPLER_OK, "count");
        CHECK(counts.cpu_ns == 0 && counts.uncounted_ns == 0, "time of idle CPUs");
    }
    fxt_sampler_destroy(sampler);
}

TEST(sampler_cycles, a_session_by_the_clock_has_none)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_PERF);
    struct fxt_sampler *sampler = create(&config);

    CHECK(fxt_sampler_cycles(sampler) == 0 && fxt_sampler_cycles(NULL) == 0, "cycles");
    if (sampler != NULL)
        fxt_sampler_destroy(sampler);
}

/* ---- Counters that others have ----------------------------------------------------- */

struct waiter {
    pthread_t thread;
    pthread_barrier_t barrier;
    pid_t id;
};

static void *wait_for_end(void *context)
{
    struct waiter *waiter = context;

    waiter->id = gettid();
    pthread_barrier_wait(&waiter->barrier);
    pthread_barrier_wait(&waiter->barrier);
    return NULL;
}

TEST(sampler_cycles, time_without_a_counter_is_reported)
{
    struct fxt_sampler_config config = config_of_cycles();
    struct fxt_sampler *sampler = create(&config);
    struct fxt_sampler_counts counts;
    struct waiter waiter;

    if (sampler == NULL)
        return;
    pthread_barrier_init(&waiter.barrier, NULL, 2);
    CHECK(pthread_create(&waiter.thread, NULL, wait_for_end, &waiter) == 0, "no thread");
    pthread_barrier_wait(&waiter.barrier);
    cycles_stand_in = CYCLES_OF_ANOTHER;
    cycles_thread = waiter.id;
    expect(fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid()), FXT_SAMPLER_OK,
           "attach");
    cycles_stand_in = CYCLES_OF_A_CLOCK;
    expect(fxt_sampler_start(sampler), FXT_SAMPLER_OK, "start");
    spin(100 * MS);
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    expect(fxt_sampler_count(sampler, &counts), FXT_SAMPLER_OK, "count");
    pthread_barrier_wait(&waiter.barrier);
    pthread_join(waiter.thread, NULL);
    pthread_barrier_destroy(&waiter.barrier);
    /* The thread's clock and the event's differ by some microseconds. */
    CHECK(counts.cpu_ns >= 95 * MS, "%llu ns", (unsigned long long)counts.cpu_ns);
    CHECK(counts.uncounted_ns >= 90 * MS && counts.uncounted_ns <= counts.cpu_ns,
          "%llu ns were not counted", (unsigned long long)counts.uncounted_ns);
    fxt_sampler_destroy(sampler);
}

/* ---- No counters ------------------------------------------------------------------- */

static bool are_perf_events_allowed(void)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_PERF);
    struct fxt_sampler *sampler = create(&config);

    return sampler != NULL && fxt_sampler_destroy(sampler) == FXT_SAMPLER_OK;
}

/* Nothing else is taken for them: neither the clock, nor signals. */
static void refuse(enum cycles_stand_in how, int error, const char *reason)
{
    const enum fxt_sampler_method methods[] = {FXT_SAMPLER_AUTO, FXT_SAMPLER_PERF};

    cycles_stand_in = how;
    cycles_error = error;
    for (unsigned i = 0; i < 2; i++) {
        struct fxt_sampler_config config = config_of_cycles();
        struct fxt_sampler *sampler;

        config.method = methods[i];
        expect(fxt_sampler_create(0, &config, &sampler), FXT_SAMPLER_E_SUPPORT, reason);
        CHECK(sampler == NULL, "a session without %s", reason);
        CHECK(strcmp(fxt_sampler_reason(NULL), reason) == 0, "%s, and not %s",
              fxt_sampler_reason(NULL), reason);
    }
    cycles_stand_in = CYCLES_OF_A_CLOCK;
}

TEST(sampler_cycles, without_counters_there_is_no_session_and_the_reason_is_reported)
{
    if (!are_perf_events_allowed())
        return;
    refuse(CYCLES_OF_NONE, ENOENT, "there is no counter of CPU cycles");
    refuse(CYCLES_OF_NONE, EOPNOTSUPP,
           "the counter of CPU cycles cannot take samples: it has no interrupt");
    refuse(CYCLES_OF_NONE, EBUSY,
           "the counter of CPU cycles is not available (Device or resource busy)");
    refuse(CYCLES_THAT_STOPPED, 0,
           "the counter of CPU cycles does not count, or is in use by others");
    if (sysconf(_SC_NPROCESSORS_ONLN) >= 2)
        refuse(CYCLES_OF_THE_FIRST_CPU, ENOENT,
               "CPU 1: there is no counter of CPU cycles");
}
