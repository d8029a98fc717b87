/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples and times come back as they were logged. */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "time_log.h"

Test(time_log, what_was_added_comes_back)
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
    time_log_free(&log);
}

Test(time_log, small_steps_take_few_bytes)
{
    struct time_log log = {.sample = 0};

    for (uint32_t i = 0; i < 1000; i++)
        time_log_add(&log, i % 50, 1000000 + (uint64_t)i * 1000);
    cr_assert_leq(log.bytes.size, 1000 * 3 + 4);
    time_log_free(&log);
}
