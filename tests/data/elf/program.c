/* SPDX-License-Identifier: BSD-2-Clause */
/* A program to be taken apart: what its functions do does not matter. */
#include <stdlib.h>

/* A separate function, called or not. */
#define USED __attribute__((noinline, used))

static volatile int sink;

USED static int leaf(int x)
{
    sink = x;
    return sink + 1;
}

USED static int middle(int x)
{
    return leaf(x) + leaf(x + 1);
}

/* Ends in a call that does not return: the return address is that of what follows. */
USED static int gives_up(int x)
{
    sink = x;
    abort();
}

USED static int neighbour(int x)
{
    return leaf(x) * 2;
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 5)
        gives_up(argc);
    return middle(argc) + neighbour(argc) == 0;
}
