/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that compilers generate calls of. They are in the sampler's section, since
 * the sampler may call them and must not sample itself. */
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
