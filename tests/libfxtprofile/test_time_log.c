/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples and times come back as they were logged. */
#include <sys/resource.h>
#include <signal.h>

#include "tests/support/pooled.h"
#include "libfxtprofile/profile/time_log.h"

POOLED_TEST(time_log, what_was_added_comes_back)
{
    static const uint32_t samples[] = {0, 1, 0, UINT32_MAX, 0, 7, UINT32_MAX - 1};
    static const uint64_t times[] = {
        0, UINT64_MAX, 0, 1, (uint64_t)1 << 63, ((uint64_t)1 << 63) - 1, 1000000000};
    enum { N = sizeof(samples) / sizeof(samples[0]) };
    struct time_log log = {.sample = 0};
    struct time_log_reader reader = {.at = 0};

    for (int i = 0; i < N * N; i++)
        time_log_add(&log, samples[i % N], times[i / N]);
    for (int i = 0; i < N * N; i++) {
        cr_assert(time_log_next(&log, &reader));
        cr_assert_eq(reader.sample, samples[i % N]);
        cr_assert_eq(reader.time_ns, times[i / N]);
    }
    cr_assert_not(time_log_next(&log, &reader));
}

POOLED_TEST(time_log, small_steps_take_few_bytes)
{
    struct time_log log = {.sample = 0};

    for (uint32_t i = 0; i < 1000; i++)
        time_log_add(&log, i % 50, 1000000 + (uint64_t)i * 1000);
    cr_assert_leq(log.bytes.bytes.size, 1000 * 4 + 4);
}

/* How many entries of a long log come back; they are of random lengths. */
static uint64_t check_long_log(struct time_log *log, uint64_t n)
{
    struct time_log_reader reader = {.at = 0};
    uint64_t state = 1;
    uint64_t i = 0;

    for (; i < n; i++) {
        state = state * 6364136223846793005 + 1442695040888963407;
        time_log_add(log, (uint32_t)(state >> 33) >> (i % 32), state >> (i % 64));
    }
    state = 1;
    for (i = 0; time_log_next(log, &reader); i++) {
        state = state * 6364136223846793005 + 1442695040888963407;
        cr_assert_eq(reader.sample, (uint32_t)(state >> 33) >> (i % 32));
        cr_assert_eq(reader.time_ns, state >> (i % 64));
    }
    return i;
}

POOLED_TEST(time_log, what_is_long_is_in_a_file)
{
    struct time_log log = {.sample = 0};

    cr_assert_eq(check_long_log(&log, 500000), 500000);
    cr_assert_gt(log.bytes.n_filed, 3 * TIME_LOG_MEMORY);
    cr_assert_leq(log.bytes.bytes.capacity, 2 * TIME_LOG_MEMORY);
}

/* As where a disk is full. */
POOLED_TEST(time_log, what_does_not_fit_into_a_file_stays_in_memory)
{
    struct rlimit limit = {3 * TIME_LOG_MEMORY / 2, 3 * TIME_LOG_MEMORY / 2};
    struct time_log log = {.sample = 0};

    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    cr_assert_eq(check_long_log(&log, 500000), 500000);
    cr_assert(log.is_stuck);
    cr_assert_leq(log.bytes.n_filed, limit.rlim_cur);
    cr_assert_gt(log.bytes.bytes.size, TIME_LOG_MEMORY);
}
