/* SPDX-License-Identifier: BSD-2-Clause */
/* What compilers call by themselves. It counts as part of the sampler, which may come to
 * call it, and not to be found by itself in a sample for that. */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int value, size_t size);

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    unsigned char *target = to;
    const unsigned char *source = from;

    for (size_t i = 0; i < size; i++)
        target[i] = source[i];
    return to;
}

void *memset(void *to, int value, size_t size)
{
    unsigned char *target = to;

    for (size_t i = 0; i < size; i++)
        target[i] = (unsigned char)value;
    return to;
}
