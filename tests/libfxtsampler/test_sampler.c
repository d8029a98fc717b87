/* SPDX-License-Identifier: BSD-2-Clause */
/* libfxtsampler: threads that are sampled by both methods, and regions that are full. */
#include <pthread.h>
#include <sys/resource.h>

#include "sampled.h"

/* ---- Sampling ---------------------------------------------------------------------- */

static void sample_own_thread(enum fxt_sampler_method method, uint32_t flags)
{
    struct fxt_sampler_config config = config_of(method);
    struct fxt_sampler *sampler;
    struct fxt_sampler_counts counts;
    struct seen seen;

    config.flags = flags;
    sampler = create(&config);
    if (sampler == NULL)
        return;
    start_with(sampler, FXT_SAMPLER_THREAD, gettid());
    spin(100 * MS);
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    seen = read_all(sampler);
    expect(fxt_sampler_count(sampler, &counts), FXT_SAMPLER_OK, "count");
    CHECK(counts.samples == seen.n_samples && counts.dropped == 0, "wrong counts");
    CHECK(seen.n_samples >= 10 && seen.n_samples < 200, "%llu samples of 100",
          (unsigned long long)seen.n_samples);
    CHECK(seen.thread == (uint64_t)gettid(), "another thread");
    CHECK(seen.max_pcs >= 2, "no callers");
    CHECK(seen.backtraces == ((flags & FXT_SAMPLER_BACKTRACES) != 0), "other records");
    fxt_sampler_destroy(sampler);
}

TEST(sampler, a_thread_is_sampled_by_signals)
{
    sample_own_thread(FXT_SAMPLER_SIGNAL, 0);
    sample_own_thread(FXT_SAMPLER_SIGNAL, FXT_SAMPLER_BACKTRACES);
}

TEST(sampler, a_thread_is_sampled_by_perf)
{
    sample_own_thread(FXT_SAMPLER_PERF, 0);
    sample_own_thread(FXT_SAMPLER_PERF, FXT_SAMPLER_BACKTRACES | FXT_SAMPLER_USER_ONLY);
}

static void fill_buffer(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    struct fxt_sampler *sampler;
    struct fxt_sampler_counts counts;

    config.period_ns = 100000;
    config.buffer_size = 1;
    sampler = create(&config);
    if (sampler == NULL)
        return;
    start_with(sampler, FXT_SAMPLER_THREAD, gettid());
    do {
        spin(20 * MS);
        expect(fxt_sampler_count(sampler, &counts), FXT_SAMPLER_OK, "count");
    } while (counts.dropped < 20);
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    read_all(sampler);
    expect(fxt_sampler_count(sampler, &counts), FXT_SAMPLER_OK, "count");
    CHECK(counts.dropped_bytes >= counts.dropped * 56, "too few bytes dropped");
    CHECK(counts.samples > 0, "no samples");
    fxt_sampler_destroy(sampler);
}

TEST(sampler, a_full_region_takes_no_more_and_counts_by_signals)
{
    fill_buffer(FXT_SAMPLER_SIGNAL);
}

TEST(sampler, a_full_region_takes_no_more_and_counts_by_perf)
{
    fill_buffer(FXT_SAMPLER_PERF);
}

/* ---- Threads that come and go ------------------------------------------------------ */

struct visitor {
    struct fxt_sampler *sampler;
    bool attaches;
};

static void *run_visitor(void *context)
{
    const struct visitor *visitor = context;

    if (visitor->attaches)
        expect(fxt_sampler_attach(visitor->sampler, FXT_SAMPLER_THREAD, gettid()),
               FXT_SAMPLER_OK, "attach in a thread");
    spin(10 * MS);
    if (visitor->attaches)
        expect(fxt_sampler_detach(visitor->sampler, gettid()), FXT_SAMPLER_OK,
               "detach in a thread");
    return NULL;
}

static void run_visitors(struct visitor *visitor)
{
    for (unsigned i = 0; i < 10; i++) {
        pthread_t threads[4];

        for (unsigned j = 0; j < 4; j++)
            CHECK(pthread_create(&threads[j], NULL, run_visitor, visitor) == 0,
                  "no thread");
        for (unsigned j = 0; j < 4; j++)
            pthread_join(threads[j], NULL);
    }
}

static void sample_visitors(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    struct visitor visitor = {.attaches = method == FXT_SAMPLER_SIGNAL};
    uint64_t n;

    visitor.sampler = create(&config);
    if (visitor.sampler == NULL)
        return;
    if (!visitor.attaches)
        expect(fxt_sampler_attach(visitor.sampler, FXT_SAMPLER_PROCESS, getpid()),
               FXT_SAMPLER_OK, "attach");
    expect(fxt_sampler_start(visitor.sampler), FXT_SAMPLER_OK, "start");
    run_visitors(&visitor);
    expect(fxt_sampler_stop(visitor.sampler), FXT_SAMPLER_OK, "stop");
    n = read_all(visitor.sampler).n_samples;
    CHECK(n > 50, "%llu samples of 400 ms", (unsigned long long)n);
    fxt_sampler_destroy(visitor.sampler);
}

TEST(sampler, threads_that_come_and_go_are_sampled_by_signals)
{
    sample_visitors(FXT_SAMPLER_SIGNAL);
}

TEST(sampler, threads_that_come_and_go_are_sampled_by_perf)
{
    sample_visitors(FXT_SAMPLER_PERF);
}

TEST(sampler, a_thread_that_waits_is_left_alone_by_signals_of_cpu_time)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);
    struct fxt_sampler *sampler;
    struct fxt_sampler_counts counts;
    struct timespec rest = {.tv_nsec = 200 * MS};

    config.period_ns = 10 * MS;
    sampler = create(&config);
    start_with(sampler, FXT_SAMPLER_PROCESS, getpid());
    CHECK(nanosleep(&rest, NULL) == 0, "the sleep was interrupted");
    fxt_sampler_stop(sampler);
    fxt_sampler_count(sampler, &counts);
    CHECK(counts.samples <= 1, "%llu samples", (unsigned long long)counts.samples);
    fxt_sampler_destroy(sampler);
}

/* ---- Waiting, by periods that are shorter than a tick ------------------------------ */

#ifndef KEEPS_SIGNALS_BACK

enum { N_WAITING = 20 };

struct waiting {
    pthread_t thread;
    pthread_barrier_t *barrier;
};

static void *wait_for_all(void *context)
{
    const struct waiting *waiting = context;

    pthread_barrier_wait(waiting->barrier);
    pthread_barrier_wait(waiting->barrier);
    return NULL;
}

TEST(sampler, threads_that_wait_are_not_woken_again_and_again)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);
    struct fxt_sampler *sampler = create(&config);
    struct fxt_sampler_counts counts;
    struct waiting all[N_WAITING];
    pthread_barrier_t barrier;

    pthread_barrier_init(&barrier, NULL, N_WAITING + 1);
    for (unsigned i = 0; i < N_WAITING; i++) {
        all[i].barrier = &barrier;
        CHECK(pthread_create(&all[i].thread, NULL, wait_for_all, &all[i]) == 0, "thread");
    }
    pthread_barrier_wait(&barrier);
    start_with(sampler, FXT_SAMPLER_PROCESS, getpid());
    spin(300 * MS);
    fxt_sampler_stop(sampler);
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < N_WAITING; i++)
        pthread_join(all[i].thread, NULL);
    fxt_sampler_count(sampler, &counts);
    /* A busy machine makes the thread that runs skip some, too. */
    CHECK(counts.skipped < 2000, "%llu signals without a sample",
          (unsigned long long)counts.skipped);
    CHECK(counts.samples > 20, "%llu samples", (unsigned long long)counts.samples);
    fxt_sampler_destroy(sampler);
    pthread_barrier_destroy(&barrier);
}

/* Some of its samples come by the one clock and some by the other. */
TEST(sampler, a_thread_that_waits_often_has_its_samples)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);
    struct timespec rest = {.tv_nsec = 3 * MS};
    struct fxt_sampler *sampler = create(&config);
    struct fxt_sampler_counts counts;
    uint64_t expected;

    start_with(sampler, FXT_SAMPLER_THREAD, gettid());
    for (unsigned i = 0; i < 150; i++) {
        spin(2 * MS);
        nanosleep(&rest, NULL);
    }
    fxt_sampler_stop(sampler);
    fxt_sampler_count(sampler, &counts);
    expected = counts.cpu_ns / config.period_ns;
    CHECK(counts.cpu_ns >= 300 * MS && counts.cpu_ns < 2000ull * MS, "%llu ns",
          (unsigned long long)counts.cpu_ns);
    CHECK(counts.samples > expected / 5 && counts.samples < expected * 2,
          "%llu samples of %llu", (unsigned long long)counts.samples,
          (unsigned long long)expected);
    fxt_sampler_destroy(sampler);
}

#endif

/* ---- Processes of which there is no room for all threads --------------------------- */

static void *wait_twice(void *barrier)
{
    pthread_barrier_wait(barrier);
    pthread_barrier_wait(barrier);
    return NULL;
}

/* Attaches this process, for which there may be no more than `limit` of what its threads
 * need. Returns whether there was room; if not, this thread must not be attached. */
static bool attach_within(struct fxt_sampler *sampler, int resource, rlim_t limit)
{
    struct rlimit old;
    enum fxt_sampler_code code;

    getrlimit(resource, &old);
    setrlimit(resource, &(struct rlimit){limit, old.rlim_max});
    code = fxt_sampler_attach(sampler, FXT_SAMPLER_PROCESS, getpid());
    setrlimit(resource, &old);
    if (code == FXT_SAMPLER_OK)
        return true;
    expect(code, FXT_SAMPLER_E_RESOURCES, "attach the process");
    expect(fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid()), FXT_SAMPLER_OK,
           "attach");
    expect(fxt_sampler_detach(sampler, gettid()), FXT_SAMPLER_OK, "detach");
    return false;
}

static void attach_what_has_no_room(enum fxt_sampler_method method)
{
    int resource = method == FXT_SAMPLER_PERF ? RLIMIT_NOFILE : RLIMIT_SIGPENDING;
    struct fxt_sampler_config config = config_of(method);
    struct fxt_sampler *sampler = create(&config);
    pthread_barrier_t barrier;
    pthread_t threads[4];
    rlim_t limit = 0;

    if (sampler == NULL)
        return;
    pthread_barrier_init(&barrier, NULL, 5);
    for (unsigned i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, wait_twice, &barrier) == 0, "no thread");
    pthread_barrier_wait(&barrier);
    while (!attach_within(sampler, resource, limit) && limit < 10000)
        limit++;
    CHECK(limit >= 5 && limit < 10000, "there is room for %llu",
          (unsigned long long)limit);
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    fxt_sampler_destroy(sampler);
}

TEST(sampler, what_cannot_be_attached_whole_is_not_attached)
{
    attach_what_has_no_room(FXT_SAMPLER_SIGNAL);
    attach_what_has_no_room(FXT_SAMPLER_PERF);
}
