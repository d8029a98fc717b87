/* SPDX-License-Identifier: BSD-2-Clause */
/* libfxtsampler: periods so short that signals would take a thread all of its time. */
#include "sampled.h"
#include "libfxtsampler/throttle.h"

/* ---- What is decided --------------------------------------------------------------- */

/* Signals that cost so much, each after so much of the thread's CPU time: how often the
 * stretch changes until it is decided 20 times. */
static unsigned measure(struct throttle *t, uint64_t cost_ns, uint64_t period_ns,
                        uint64_t share_of_cpu)
{
    unsigned n_changes = 0;

    for (unsigned i = 0; i < 20 * THROTTLE_SIGNALS; i++) {
        uint64_t passed_ns = t->stretch * period_ns * share_of_cpu / 100;

        n_changes += throttle_measure(
            t, cost_ns, passed_ns > cost_ns ? passed_ns : cost_ns, period_ns);
    }
    return n_changes;
}

TEST(sampler_throttle, signals_that_cost_less_than_a_quarter_change_nothing)
{
    struct throttle t = {.stretch = 1};

    CHECK(measure(&t, 24000, 100000, 100) == 0, "stretch %llu",
          (unsigned long long)t.stretch);
    t.stretch = 3;
    CHECK(measure(&t, 40000, 100000, 100) == 0, "stretch %llu",
          (unsigned long long)t.stretch);
}

TEST(sampler_throttle, a_period_is_stretched_to_four_times_what_signals_cost)
{
    struct throttle t = {.stretch = 1};

    /* Nothing of the program's own came between. */
    CHECK(measure(&t, 40000, 10000, 100) == 1 && t.stretch == 16, "stretch %llu",
          (unsigned long long)t.stretch);
    CHECK(throttle_stretch(40000, 10000) == 16 && throttle_stretch(40001, 10000) == 17 &&
              throttle_stretch(0, 10000) == 1,
          "another one to begin with");
    CHECK(throttle_stretch(UINT64_MAX, 10000) == THROTTLE_STRETCH_MAX,
          "beyond the limit");
}

TEST(sampler_throttle, a_thread_that_seldom_runs_is_left_alone_for_longer)
{
    struct throttle t = {.stretch = 1};

    measure(&t, 20000, 100000, 10);
    /* 20 of 800 us that are a tenth of the time, if not for the last step. */
    CHECK(t.stretch >= 8 && t.stretch <= 10, "stretch %llu",
          (unsigned long long)t.stretch);
}

TEST(sampler_throttle, what_was_dear_once_may_become_cheap)
{
    struct throttle t = {.stretch = 1};

    measure(&t, 40000, 10000, 100);
    CHECK(measure(&t, 4000, 10000, 100) == 1 && t.stretch == 2, "stretch %llu",
          (unsigned long long)t.stretch);
    for (unsigned i = 0; i < 1000 * THROTTLE_SIGNALS; i++)
        throttle_measure(&t, 1000000, 1000000, 10000);
    CHECK(t.stretch == THROTTLE_STRETCH_MAX, "stretch %llu",
          (unsigned long long)t.stretch);
}

/* ---- What a thread gets ------------------------------------------------------------ */

#ifndef KEEPS_SIGNALS_BACK

/* The same each time, whatever interrupts it. */
static uint64_t work(void)
{
    uint64_t begun = cpu_ns();
    volatile unsigned sum = 0;

    for (unsigned i = 0; i < 40000000; i++)
        sum = sum + i;
    return cpu_ns() - begun;
}

static void work_sampled(uint64_t period_ns)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);
    struct fxt_sampler_counts counts;
    struct fxt_sampler *sampler;
    uint64_t alone_ns = work();
    uint64_t sampled_ns;
    uint64_t again_ns;
    double samples_ns;

    config.period_ns = period_ns;
    config.buffer_size = 16 << 20;
    sampler = create(&config);
    start_with(sampler, FXT_SAMPLER_THREAD, gettid());
    sampled_ns = work();
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    expect(fxt_sampler_count(sampler, &counts), FXT_SAMPLER_OK, "count");
    fxt_sampler_destroy(sampler);
    again_ns = work();
    if (again_ns > alone_ns)
        alone_ns = again_ns;
    samples_ns = (double)(counts.samples + counts.busy) * (double)period_ns;
    printf("# %llu ns: %.2f times the CPU time, samples are worth %.2f of it, %llu "
           "stretched, %llu merged\n",
           (unsigned long long)period_ns, (double)sampled_ns / (double)alone_ns,
           samples_ns / (double)counts.cpu_ns, (unsigned long long)counts.throttled,
           (unsigned long long)counts.merged);
    /* It is 4/3 where the CPU is always as fast; hundreds without throttling. */
    CHECK(sampled_ns < 8 * alone_ns, "%.2f times the time",
          (double)sampled_ns / (double)alone_ns);
    /* Where signals come late, since others have the CPU, there are fewer. */
    CHECK(samples_ns < 1.2 * (double)counts.cpu_ns, "too many samples");
    CHECK(samples_ns > 0.2 * (double)counts.cpu_ns, "too few samples");
    CHECK(counts.dropped == 0, "the region is too small");
    CHECK(counts.throttled == 0 || counts.merged > 0, "not counted");
}

TEST(sampler_throttle, a_thread_gets_on_with_its_work_however_short_the_period_is)
{
    /* One that does not would be here for hours. */
    alarm(600);
    work_sampled(FXT_SAMPLER_PERIOD_MIN_NS);
    work_sampled(2 * (uint64_t)FXT_SAMPLER_PERIOD_MIN_NS);
    work_sampled(10 * (uint64_t)FXT_SAMPLER_PERIOD_MIN_NS);
    alarm(0);
}

#endif
