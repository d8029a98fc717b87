/* SPDX-License-Identifier: BSD-2-Clause */
/* A library that is loaded and unloaded again and again. It is built twice, with frames
 * of two sizes: as the code has the same size, both are mapped at the same address in
 * turn. */
#include <stdlib.h>
#include <string.h>

typedef void *allocate_function(size_t size);

__attribute__((visibility("default"))) void *plugin_allocate(size_t size,
                                                             allocate_function *allocate);

/* What only one of the two has. */
__attribute__((noinline)) static void *PLUGIN_FUNCTION(size_t size,
                                                       allocate_function *allocate)
{
    void *block = allocate(size);

    memset(block, 2, size);
    return block;
}

void *plugin_allocate(size_t size, allocate_function *allocate)
{
    volatile char room[PLUGIN_FRAME];
    void *block;

    room[0] = 1;
    block = PLUGIN_FUNCTION(size, allocate);
    free(malloc(size + 1));
    room[1] = room[0];
    memset(block, room[1], size);
    return block;
}
