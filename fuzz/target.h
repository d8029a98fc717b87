/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fuzz targets have in common. */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Each target has one; what it finds wrong with an input ends the process. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "not so: %s\n", what);
    abort();
}

#endif
