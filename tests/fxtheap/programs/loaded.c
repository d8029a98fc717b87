/* SPDX-License-Identifier: BSD-2-Clause */
/* A library that a program loads while it runs. */
#include <stdlib.h>
#include <string.h>

__attribute__((visibility("default"))) void *loaded_function(size_t size);

void *loaded_function(size_t size)
{
    void *block = malloc(size);

    memset(block, 1, size);
    return block;
}
