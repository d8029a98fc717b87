/* SPDX-License-Identifier: BSD-2-Clause */
/* libfxtsampler: sessions that are started and stopped, again and again, while threads on
 * all CPUs are sampled. */
#include <pthread.h>
#include <stdatomic.h>

#include "sampled.h"

/* ---- Stopping ---------------------------------------------------------------------- */

enum { N_SPINNERS = 4, N_ROUNDS = 1000 };

struct spinner {
    pthread_t thread;
    atomic_int id;
    atomic_bool *quit;
};

static void *run_spinner(void *context)
{
    struct spinner *spinner = context;

    atomic_store(&spinner->id, gettid());
    while (!atomic_load(spinner->quit))
        spin(1 * MS);
    return NULL;
}

/* Threads on all CPUs are sampled while the session is started and stopped, and what it
 * has is read in between: a write after a stop would be a race. */
static void start_and_stop(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    struct spinner spinners[N_SPINNERS];
    struct fxt_sampler *sampler;
    struct fxt_sampler_region region;
    atomic_bool quit = false;
    uint64_t n_samples = 0;

    config.period_ns = 50000;
    config.buffer_size = 1 << 16;
    sampler = create(&config);
    if (sampler == NULL)
        return;
    for (unsigned i = 0; i < N_SPINNERS; i++) {
        spinners[i].quit = &quit;
        atomic_init(&spinners[i].id, 0);
        CHECK(pthread_create(&spinners[i].thread, NULL, run_spinner, &spinners[i]) == 0,
              "no thread");
        while (atomic_load(&spinners[i].id) == 0)
            sched_yield();
        expect(
            fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, atomic_load(&spinners[i].id)),
            FXT_SAMPLER_OK, "attach");
    }
    for (unsigned round = 0; round < N_ROUNDS; round++) {
        enum fxt_sampler_code code = fxt_sampler_start(sampler);

        if (code == FXT_SAMPLER_E_FULL) {
            n_samples += read_all(sampler).n_samples;
            expect(fxt_sampler_clear(sampler), FXT_SAMPLER_OK, "clear");
            code = fxt_sampler_start(sampler);
        }
        expect(code, FXT_SAMPLER_OK, "start");
        if (round % 10 == 0)
            usleep(300);
        expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
        expect(fxt_sampler_read(sampler, round % 2, &region),
               sysconf(_SC_NPROCESSORS_ONLN) > (long)(round % 2) ? FXT_SAMPLER_OK
                                                                 : FXT_SAMPLER_E_REGION,
               "read");
    }
    CHECK(n_samples + read_all(sampler).n_samples > 0, "no samples");
    atomic_store(&quit, true);
    for (unsigned i = 0; i < N_SPINNERS; i++)
        pthread_join(spinners[i].thread, NULL);
    fxt_sampler_destroy(sampler);
}

TEST(sampler, starts_and_stops_a_thousand_times_by_signals)
{
    start_and_stop(FXT_SAMPLER_SIGNAL);
}

TEST(sampler, starts_and_stops_a_thousand_times_by_perf)
{
    start_and_stop(FXT_SAMPLER_PERF);
}
