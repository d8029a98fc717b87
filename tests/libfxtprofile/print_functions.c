/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints for test_functions.py in which function each address is that standard input
 * names, in hex, a line each: the function's start in hex, and its name or "-"; or
 * "none". The last line is of how many functions was read.
 *
 *     print_functions FILE
 */
#include <inttypes.h>
#include <stdio.h>

#include "common/base/memory.h"
#include "libfxtprofile/symbols/binary.h"

static const char *file_name;
static bool failed;

static void print_function(struct binary *binary, uint64_t address)
{
    struct source_lines lines = {NULL, 0, 0};
    uint64_t start;

    binary_lines(binary, address, &lines);
    if (binary_function(binary, address, &start))
        printf("%" PRIx64 " %s\n", start, lines.n > 0 ? lines.items[0].name : "-");
    else
        printf("none\n");
    memory_release(lines.items);
}

/* Functions are read for what has no symbol; here, for all. */
static void want(struct binary *binary, uint64_t address)
{
    binary_want(binary, address);
    binary->wants_functions = true;
    MEMORY_ADD(binary->unnamed, binary->n_unnamed, binary->unnamed_capacity, address);
}

static void run(void *context)
{
    struct text why = {NULL, 0, 0};
    struct binary *binary = binary_open(file_name, &why);
    uint64_t *addresses = NULL;
    size_t n = 0;
    size_t capacity = 0;
    uint64_t address;

    (void)context;
    failed = binary == NULL;
    text_free(&why);
    if (failed)
        return;
    while (scanf("%" SCNx64, &address) == 1) {
        MEMORY_ADD(addresses, n, capacity, address);
        want(binary, address);
    }
    binary_read_functions(binary);
    for (size_t i = 0; i < n; i++)
        print_function(binary, addresses[i]);
    printf("%zu\n", binary->functions.list.n);
    memory_release(addresses);
    binary_close(binary);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    file_name = argv[1];
    return memory_run(NULL, run, NULL) != NULL || failed;
}
