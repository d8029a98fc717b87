/* SPDX-License-Identifier: BSD-2-Clause */
/* The names that an archive has of its kernel's functions (docs/symbol-records.md), which
 * come before the samples that need them. */
#ifndef FXTDUMP_KERNEL_FUNCTIONS_H
#define FXTDUMP_KERNEL_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "common/base/string_table.h"

struct kernel_function {
    uint64_t start;
    uint64_t size;
    /* Its place among all, of which the last one at an address counts; and its name. */
    uint32_t sequence;
    uint32_t name;
};

enum { KERNEL_FUNCTION_RUNS = 32 };

/* All zero is none. */
struct kernel_functions {
    /* Runs that are sorted by start, each less than half as long as the one before it. */
    struct kernel_function *all;
    size_t n;
    size_t capacity;
    size_t run_starts[KERNEL_FUNCTION_RUNS];
    size_t n_runs;
    struct string_table names;
};

/* Takes a record's functions, if it has some of the kernel. An archive that begins is of
 * another kernel. */
void kernel_functions_take(struct kernel_functions *functions,
                           const struct fxt_record *record);

/* The function at an address, or NULL; and its name. */
const struct kernel_function *kernel_functions_find(
    const struct kernel_functions *functions, uint64_t address);
struct string kernel_functions_name(const struct kernel_functions *functions,
                                    const struct kernel_function *function);

#endif
