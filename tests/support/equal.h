/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that print what was wrong; see harness.h. */
#ifndef TESTS_SUPPORT_EQUAL_H
#define TESTS_SUPPORT_EQUAL_H

#include <stdint.h>
#include <string.h>

#include "harness.h"

#define CHECK_TRUE(condition) CHECK(condition, "it does not hold")

/* That two integers are equal. */
#define CHECK_EQ(actual, expected)                                                       \
    do {                                                                                 \
        unsigned long long actual_ = (unsigned long long)(actual);                       \
        unsigned long long expected_ = (unsigned long long)(expected);                   \
                                                                                         \
        CHECK(actual_ == expected_, "%s is %llu (%#llx), not %llu (%#llx)", #actual,     \
              actual_, actual_, expected_, expected_);                                   \
    } while (0)

/* That `size` bytes are the same. */
#define CHECK_BYTES(actual, expected, size)                                              \
    CHECK(memcmp(actual, expected, size) == 0, #actual " is not " #expected)

#endif
