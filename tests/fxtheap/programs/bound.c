/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that is linked with libfxtheap and binds it explicitly. Its argument is where
 * the table goes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fxt/heap.h>

static void *volatile before;
static void *volatile after;

static int require(int condition, const char *what)
{
    if (!condition)
        fprintf(stderr, "bound: %s\n", what);
    return !condition;
}

static int refuse(struct fxt_heap_options options)
{
    return require(fxt_heap_bind(&options) == FXT_HEAP_E_OPTIONS, "an option was taken");
}

int main(int argc, char **argv)
{
    struct fxt_heap_options options = {.size = sizeof(options)};
    int failed = 0;
    char line[16];

    if (argc != 2)
        return 2;
    before = malloc(1000);
    failed |= refuse((struct fxt_heap_options){.size = 1});
    failed |= refuse((struct fxt_heap_options){.size = sizeof(options),
                                               .depth = FXT_HEAP_DEPTH_MAX + 1});
    failed |= refuse((struct fxt_heap_options){.size = sizeof(options),
                                               .n_blocks = FXT_HEAP_BLOCKS_MAX + 1});
    failed |= refuse((struct fxt_heap_options){.size = sizeof(options),
                                               .directory = "no/absolute/path"});
    options.directory = argv[1];
    failed |= require(fxt_heap_bind(&options) == FXT_HEAP_OK, "it is not bound");
    failed |= require(fxt_heap_bind(&options) == FXT_HEAP_E_BOUND, "it is bound twice");
    after = malloc(2222);
    free(before);
    if (write(STDOUT_FILENO, "ready\n", 6) != 6 ||
        read(STDIN_FILENO, line, sizeof(line)) < 0)
        return 1;
    free(after);
    return failed;
}
