/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory with a page on either side that is inaccessible: what runs off it crashes,
 * whichever way the program is built. */
#ifndef TESTS_SUPPORT_GUARD_H
#define TESTS_SUPPORT_GUARD_H

#include <stddef.h>

struct guard {
    unsigned char *start;
    unsigned char *end;
    size_t page;
};

/* At least `size` bytes. */
void guard_create(struct guard *guard, size_t size);
void guard_destroy(struct guard *guard);

/* A copy that ends where the memory ends. */
unsigned char *guard_at_end(struct guard *guard, const void *data, size_t size);
/* A copy that starts where the memory starts. */
unsigned char *guard_at_start(struct guard *guard, const void *data, size_t size);

#endif
