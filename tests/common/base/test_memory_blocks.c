/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks keep their content when they grow. */
#include "tests/support/pooled.h"

/* 32 MiB of numbers, more than C libraries keep in their heaps. */
enum { N = 8 << 20, STEP = 12345 };

static void check_numbers(const uint32_t *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (numbers[i] != i)
            CHECK(false, "%zu is %u in an array of %zu", i, numbers[i], n);
    }
}

POOLED_TEST(memory_blocks, arrays_keep_their_items_when_they_move)
{
    /* The second time there is free memory that the first one has left. */
    for (int times = 0; times < 2; times++) {
        uint32_t *numbers = NULL;
        size_t capacity = 0;
        size_t n = 0;

        for (; n < N; n++) {
            if (n == capacity) {
                numbers = memory_enlarge(numbers, &capacity, sizeof(*numbers));
                check_numbers(numbers, n);
            }
            numbers[n] = (uint32_t)n;
        }
        check_numbers(numbers, n);
        memory_release(numbers);
    }
    cr_assert_eq(memory_pool_in_use()->n_bytes, 0);
}

POOLED_TEST(memory_blocks, blocks_of_any_size_keep_their_bytes_in_both_directions)
{
    uint32_t *numbers = NULL;
    size_t n = 0;

    for (size_t next = STEP; next < N / 4; next += next / 3 + STEP) {
        numbers = memory_reallocate(numbers, next * sizeof(*numbers));
        for (; n < next; n++)
            numbers[n] = (uint32_t)n;
        check_numbers(numbers, n);
    }
    for (; n > STEP; n -= n / 5) {
        numbers = memory_reallocate(numbers, n * sizeof(*numbers));
        check_numbers(numbers, n);
    }
    memory_release(numbers);
    cr_assert_eq(memory_pool_in_use()->n_bytes, 0);
}
