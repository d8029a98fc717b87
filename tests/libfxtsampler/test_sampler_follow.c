/* SPDX-License-Identifier: BSD-2-Clause */
/* libfxtsampler by signals: threads that a process starts while it is sampled, and those
 * that block the signal. The truth is the CPU time that the kernel counts. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "sampled.h"

enum { N_THREADS = 3, WORK_NS = 300 * MS };

/* What a thread had in the end, and what its samples were. */
struct worker {
    pthread_t thread;
    bool blocks;
    bool ends_early;
    pid_t id;
    uint64_t cpu_ns;
    uint64_t n_stacks;
    uint64_t n_not_sampled;
};

static atomic_bool may_end;

static void block_all(void)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
}

static void *run_worker(void *context)
{
    struct worker *worker = context;

    worker->id = gettid();
    if (worker->blocks)
        block_all();
    spin(WORK_NS);
    worker->cpu_ns = cpu_ns();
    while (!worker->ends_early && !atomic_load(&may_end))
        usleep(1000);
    return NULL;
}

/* ---- Samples ----------------------------------------------------------------------- */

struct tally {
    struct worker *workers;
    /* Samples of threads that were never found. */
    uint64_t n_of_none;
    uint64_t n;
};

static int tally_sample(void *context, const struct fxt_record *record)
{
    struct tally *tally = context;
    struct fxt_sample sample;

    if (fxt_sample_from_record(record, &sample) != FXT_SAMPLE_STACK)
        return 0;
    tally->n++;
    tally->n_of_none += sample.thread.thread == 0;
    for (unsigned i = 0; i < N_THREADS; i++) {
        struct worker *worker = &tally->workers[i];

        if (sample.thread.thread != (uint64_t)worker->id)
            continue;
        if (sample.end == FXT_STACK_END_NOT_SAMPLED) {
            CHECK(sample.pcs.count == 1 && fxt_words_get(sample.pcs, 0) == 0, "a stack");
            worker->n_not_sampled++;
        } else {
            worker->n_stacks++;
        }
    }
    return 0;
}

static void tally_all(const struct fxt_sampler *sampler, struct tally *tally)
{
    struct fxt_sampler_region region;

    for (uint32_t i = 0; fxt_sampler_read(sampler, i, &region) == FXT_SAMPLER_OK; i++)
        read_stream(FXT_STREAM_REGION, region.data, region.size, tally_sample, tally);
}

/* ---- Tests ------------------------------------------------------------------------- */

/* Samples of each thread stand for its CPU time: 300 ms are 30 periods of 10 ms. */
static void check_worker(const struct worker *worker, double sample_ns)
{
    double sampled = (double)(worker->n_stacks + worker->n_not_sampled) * sample_ns;

    printf("# %llu stacks, %llu without, of %.0f ms\n",
           (unsigned long long)worker->n_stacks,
           (unsigned long long)worker->n_not_sampled, (double)worker->cpu_ns / MS);
    CHECK(sampled > 0.8 * (double)worker->cpu_ns, "%.0f ms sampled", sampled / MS);
    CHECK(sampled < 1.2 * (double)worker->cpu_ns, "%.0f ms sampled", sampled / MS);
    CHECK(worker->blocks ? worker->n_stacks == 0 : worker->n_stacks > 0, "%llu stacks",
          (unsigned long long)worker->n_stacks);
}

static void follow(bool begins_late)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);
    struct worker workers[N_THREADS] = {{.blocks = true}, {.ends_early = true}, {0}};
    struct tally tally = {.workers = workers};
    struct fxt_sampler_counts counts;
    struct fxt_sampler *sampler;

    config.period_ns = 10 * MS;
    sampler = create(&config);
    atomic_store(&may_end, false);
    if (begins_late)
        expect(fxt_sampler_start(sampler), FXT_SAMPLER_OK, "start");
    expect(fxt_sampler_attach(sampler, FXT_SAMPLER_PROCESS, getpid()), FXT_SAMPLER_OK,
           "attach");
    expect(fxt_sampler_attach(sampler, FXT_SAMPLER_PROCESS, getpid()),
           FXT_SAMPLER_E_ATTACHED, "attach again");
    if (!begins_late)
        expect(fxt_sampler_start(sampler), FXT_SAMPLER_OK, "start");
    for (unsigned i = 0; i < N_THREADS; i++)
        CHECK(pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]) == 0,
              "no thread");
    pthread_join(workers[1].thread, NULL);
    while (workers[0].cpu_ns == 0 || workers[2].cpu_ns == 0)
        usleep(1000);
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    atomic_store(&may_end, true);
    pthread_join(workers[0].thread, NULL);
    pthread_join(workers[2].thread, NULL);
    fxt_sampler_count(sampler, &counts);
    tally_all(sampler, &tally);
    CHECK(tally.n == counts.samples, "%llu", (unsigned long long)tally.n);
    for (unsigned i = 0; i < N_THREADS; i++)
        check_worker(&workers[i], 10 * MS);
    CHECK(counts.cpu_ns > 800 * MS, "%llu", (unsigned long long)counts.cpu_ns);
    expect(fxt_sampler_destroy(sampler), FXT_SAMPLER_OK, "destroy");
}

TEST(sampler_follow, threads_that_begin_while_the_session_runs_are_sampled)
{
    follow(false);
}

TEST(sampler_follow, threads_are_followed_from_when_their_process_is_attached)
{
    follow(true);
}

static void *run_shortly(void *unused)
{
    spin(1 * MS);
    return unused;
}

static uint64_t count_of_none(void)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);
    struct worker none[N_THREADS] = {{.id = -1}, {.id = -1}, {.id = -1}};
    struct tally tally = {.workers = none};
    struct fxt_sampler *sampler;
    pthread_t thread;

    config.period_ns = 10 * MS;
    sampler = create(&config);
    start_with(sampler, FXT_SAMPLER_PROCESS, getpid());
    for (unsigned i = 0; i < 300; i++) {
        CHECK(pthread_create(&thread, NULL, run_shortly, NULL) == 0, "no thread");
        pthread_join(thread, NULL);
    }
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    tally_all(sampler, &tally);
    printf("# %llu of %llu of no thread\n", (unsigned long long)tally.n_of_none,
           (unsigned long long)tally.n);
    fxt_sampler_destroy(sampler);
    return tally.n_of_none;
}

/* Each is over before it is found, unless it has to wait for a CPU, and no other thread
 * has its time. */
TEST(sampler_follow, the_time_of_threads_that_were_not_found_is_of_no_thread)
{
    unsigned n_tries = 0;

    while (count_of_none() < 5) {
        n_tries++;
        CHECK(n_tries < 30, "all were found");
    }
}
