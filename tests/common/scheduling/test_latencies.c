/* SPDX-License-Identifier: BSD-2-Clause */
/* Percentiles of times, compared with exact ones. */
#include <stdlib.h>

#include "common/base/sort.h"
#include "common/scheduling/latencies.h"
#include "tests/support/pooled.h"
#include "tests/support/random.h"

static int order_times(const void *a, const void *b)
{
    return order_numbers(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* The smallest of the sorted times that at least so many percent do not exceed. */
static uint64_t exact_percentile(const uint64_t *times, uint64_t n, unsigned percent)
{
    uint64_t rank = 1;

    while (rank * 100 < n * percent)
        rank++;
    return times[rank - 1];
}

static bool is_close(uint64_t a, uint64_t b)
{
    uint64_t difference = a > b ? a - b : b - a;

    return difference <= 32 || difference <= b / 32;
}

static void check_times(uint64_t *times, uint64_t n)
{
    struct latencies latencies = {.n = 0};

    for (uint64_t i = 0; i < n; i++)
        latencies_add(&latencies, times[i]);
    qsort(times, n, sizeof(*times), order_times);
    CHECK(latencies.max_ns == times[n - 1], "the largest of %u is not exact",
          (unsigned)n);
    for (unsigned percent = 1; percent <= 100; percent++) {
        uint64_t exact = exact_percentile(times, n, percent);
        uint64_t found = latencies_percentile(&latencies, percent);

        CHECK(is_close(found, exact), "%u %% of %u: %llu is too far from %llu", percent,
              (unsigned)n, (unsigned long long)found, (unsigned long long)exact);
    }
}

POOLED_TEST(latencies, percentiles_are_as_exact_as_stated)
{
    enum { MAX = 3000 };
    static uint64_t times[MAX];
    uint64_t seed = 1;

    for (unsigned round = 0; round < 300; round++) {
        uint64_t n = 1 + random_next(&seed) % (round < 100 ? 12 : MAX);

        for (uint64_t i = 0; i < n; i++)
            times[i] = random_next(&seed) >> (24 + random_next(&seed) % 40);
        check_times(times, n);
    }
}

POOLED_TEST(latencies, a_single_time_is_exact)
{
    for (unsigned shift = 0; shift < 64; shift++) {
        struct latencies latencies = {.n = 0};
        uint64_t ns = UINT64_MAX >> shift;

        latencies_add(&latencies, ns);
        CHECK(latencies_percentile(&latencies, 50) == ns, "2^%u-1", 64 - shift);
    }
}

POOLED_TEST(latencies, zero_and_the_largest_number_are_times)
{
    struct latencies latencies = {.n = 0};

    latencies_add(&latencies, 0);
    latencies_add(&latencies, UINT64_MAX);
    latencies_add(&latencies, UINT64_MAX);
    CHECK(latencies_percentile(&latencies, 1) < 64, "the first of three");
    CHECK(latencies_percentile(&latencies, 99) == UINT64_MAX, "the last of three");
}
