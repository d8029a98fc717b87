/* SPDX-License-Identifier: BSD-2-Clause */
/* A program whose functions the compiler inlines into each other, when it optimizes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define NOT_INLINE static __attribute__((noinline))

static volatile unsigned sink;

INLINE unsigned mix(unsigned x)
{
    sink = x;
    return (sink ^ x >> 7) * 0x9e3779b9u;
}

INLINE unsigned mix_twice(unsigned x)
{
    unsigned once = mix(x);

    return mix(once + 1);
}

INLINE unsigned sum(const unsigned *numbers, unsigned n)
{
    unsigned total = 0;

    for (unsigned i = 0; i < n; i++)
        total += mix_twice(numbers[i]) ^ mix(total);
    return total;
}

/* Has a cold part, and a variant for the only number it is called with. */
NOT_INLINE unsigned checked_sum(const unsigned *numbers, unsigned n, unsigned most)
{
    if (n > most) {
        fprintf(stderr, "%u are too many\n", n);
        abort();
    }
    return sum(numbers, n);
}

NOT_INLINE int compare(const void *left, const void *right)
{
    unsigned a = mix(*(const unsigned *)left);
    unsigned b = mix(*(const unsigned *)right);

    return (a > b) - (a < b);
}

NOT_INLINE unsigned sorted(unsigned *numbers, unsigned n)
{
    qsort(numbers, n, sizeof(*numbers), compare);
    return sum(numbers, n / 2) + checked_sum(numbers, n, 64);
}

int main(int argc, char **argv)
{
    unsigned numbers[64];

    for (unsigned i = 0; i < 64; i++)
        numbers[i] = mix_twice(i + (unsigned)strlen(argv[0]));
    printf("%u\n", sorted(numbers, 64) + checked_sum(numbers, (unsigned)argc, 64));
    return 0;
}
