/* SPDX-License-Identifier: BSD-2-Clause */
/* Ticks to nanoseconds against the definition, in arithmetic of 128 bits. */
#include "tests/support/harness.h"

#include <fxt/fxt.h>

#include "tests/support/random.h"

#define NS_PER_SECOND 1000000000

/* floor(a * b / c) as 128 bits; `carry` if that is more. On machines without numbers of
 * 128 bits, by long division of four parts of 32. */
static bool multiply_divide(uint64_t a, uint64_t b, uint64_t c, uint64_t *result)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    wide quotient = (wide)a * b / c;

    *result = (uint64_t)quotient;
    return quotient <= UINT64_MAX;
#else
    uint64_t low = (a & UINT32_MAX) * b;
    uint64_t high = (a >> 32) * b + (low >> 32);
    uint64_t rest = 0;
    uint64_t quotient = 0;
    bool fits = true;

    /* b is below 2^32, so a * b has 96 bits: `high` and the low half of `low`. */
    for (int bit = 95; bit >= 0; bit--) {
        uint64_t next = bit >= 32 ? high >> (bit - 32) & 1 : low >> bit & 1;
        bool carry = rest >> 63;

        rest = rest << 1 | next;
        fits = fits && !(quotient >> 63);
        quotient <<= 1;
        if (carry || rest >= c) {
            rest -= c;
            quotient |= 1;
        }
    }
    *result = quotient;
    return fits;
#endif
}

static void check_ticks(uint64_t ticks, uint64_t rate)
{
    uint64_t expected;
    uint64_t ns = 1;
    bool fits = multiply_divide(ticks, NS_PER_SECOND, rate, &expected);

    CHECK(fxt_ticks_to_ns(ticks, rate, &ns) == fits, "%llu at %llu",
          (unsigned long long)ticks, (unsigned long long)rate);
    CHECK(ns == (fits ? expected : UINT64_MAX), "%llu at %llu is %llu, not %llu",
          (unsigned long long)ticks, (unsigned long long)rate, (unsigned long long)ns,
          (unsigned long long)expected);
}

TEST(time, values_worked_out_by_hand)
{
    static const struct {
        uint64_t ticks;
        uint64_t rate;
        bool fits;
        uint64_t ns;
    } rows[] = {
        {0, 1, true, 0},
        {24000000, 24000000, true, 1000000000},
        {1, 24000000, true, 41},
        {1, 3, true, 333333333},
        {2, 3, true, 666666666},
        {UINT64_MAX, 1000000000, true, UINT64_MAX},
        {18446744073, 1, true, 18446744073000000000u},
        {18446744074, 1, false, UINT64_MAX},
        {UINT64_MAX, 1, false, UINT64_MAX},
        {UINT64_MAX, UINT64_MAX, true, 1000000000},
        {UINT64_MAX - 1, UINT64_MAX, true, 999999999},
        {1, 0, false, UINT64_MAX},
        {0, 0, false, UINT64_MAX},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t ns = 1;

        CHECK(fxt_ticks_to_ns(rows[i].ticks, rows[i].rate, &ns) == rows[i].fits,
              "row %zu", i);
        CHECK(ns == rows[i].ns, "row %zu: %llu", i, (unsigned long long)ns);
    }
}

TEST(time, every_edge_meets_every_other)
{
    /* Around powers of two; where 64 bits stop to be enough, at 18.4 GHz; usual rates. */
    static const uint64_t usual[] = {UINT64_MAX / NS_PER_SECOND,
                                     NS_PER_SECOND,
                                     19200000,
                                     24000000,
                                     62500000,
                                     2496000000};
    enum { EDGES = 64 * 3 + 6 * 3 };
    uint64_t edges[EDGES];
    size_t n = 0;

    for (int bit = 0; bit < 64; bit++) {
        for (uint64_t off = 0; off < 3; off++)
            edges[n++] = ((uint64_t)1 << bit) + off - 1;
    }
    for (size_t i = 0; i < 6; i++) {
        for (uint64_t off = 0; off < 3; off++)
            edges[n++] = usual[i] + off - 1;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            if (edges[j] != 0)
                check_ticks(edges[i], edges[j]);
        }
    }
}

/* Where the long division comes out even, at rates that need it. */
TEST(time, simple_fractions_of_large_rates)
{
    for (uint64_t of = 1; of <= 64; of++) {
        for (uint64_t part = 0; part <= of; part++) {
            check_ticks(part << 40, of << 40);
            check_ticks(part << 56, of << 56);
            check_ticks(part * 1234567890123, of * 1234567890123);
        }
    }
}

TEST(time, a_million_random_pairs)
{
    uint64_t random = 2;

    for (int i = 0; i < 1000000; i++) {
        /* Numbers of all lengths alike. */
        uint64_t ticks = random_next(&random) >> random_next(&random) % 64;
        uint64_t rate = random_next(&random) >> random_next(&random) % 64;

        if (rate != 0)
            check_ticks(ticks, rate);
    }
}
