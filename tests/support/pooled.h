/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of code that leaves its memory to a pool, as a profile and an output do: the
 * test's pool frees it. */
#ifndef TESTS_SUPPORT_POOLED_H
#define TESTS_SUPPORT_POOLED_H

#include "common/base/memory.h"
#include "tests/support/harness.h"

#define POOLED_TEST(suite, test)                                                         \
    static void pooled_##suite##_##test(__attribute__((unused)) void *unused);           \
    TEST(suite, test)                                                                    \
    {                                                                                    \
        struct memory_pool *pool = memory_pool_create(0);                                \
                                                                                         \
        CHECK(memory_run(pool, pooled_##suite##_##test, NULL) == NULL, "no memory");     \
        memory_pool_destroy(pool);                                                       \
    }                                                                                    \
    static void pooled_##suite##_##test(__attribute__((unused)) void *unused)

#endif
