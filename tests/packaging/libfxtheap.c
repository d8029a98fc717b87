/* SPDX-License-Identifier: BSD-2-Clause */
/* Uses libfxtheap from outside, with own_names.c as libfxt.c: its own allocations are
 * recorded, in a table in the directory of the argument. */
#include <stdio.h>
#include <stdlib.h>

#include <fxt/heap.h>

extern int call_own_names(void);

int main(int argc, char **argv)
{
    struct fxt_heap_options options = {.size = sizeof(options), .n_blocks = 1024};
    enum fxt_heap_code code;

    if (argc != 2 || call_own_names() != 0)
        return 2;
    options.directory = argv[1];
    code = fxt_heap_bind(&options);
    free(malloc(1000));
    if (code != FXT_HEAP_OK)
        fprintf(stderr, "fxt_heap_bind returned %d\n", code);
    return code != FXT_HEAP_OK;
}
