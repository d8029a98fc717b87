/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of the kernel's functions, and of its modules': of those only that some
 * sample is in, since a kernel has some 200,000. Users without permission to see
 * addresses get none.
 */
#ifndef PROCESSES_KERNEL_NAMES_H
#define PROCESSES_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>
#include <fxt/writer.h>

#include "common/base/kernel_symbols.h"
#include "code_names.h"

/* A function that some sample is in, and that is to be written. */
struct kernel_function {
    uint32_t module;
    uint32_t symbol;
};

/* All zero is none. */
struct kernel_names {
    /* Those of the kernel, sorted, once they were needed; and whether some sample is in
     * each. */
    struct kernel_symbols symbols;
    bool *is_needed;
    /* Those of them that are not written yet: few, so that nothing has to look at all
     * symbols while samples wait. */
    struct kernel_function *functions;
    size_t n_functions;
    size_t capacity;
    /* When they may be read again, for code that was loaded later. */
    uint64_t next_read_ns;
    /* The PCs that were seen; the first ones of them were looked up. */
    struct sampled_code code;
    size_t n_looked_up;
};

/* Takes the PCs of a sample that are in the kernel: those in the upper half of the
 * addresses. */
void kernel_names_take(struct kernel_names *names, struct fxt_words pcs);

/* Finds the functions of what was taken. Reads /proc/kallsyms below the directory `root`,
 * "" for that of the system, if that is needed and was not just done, or if this is the
 * last time. `now_ns` is CLOCK_MONOTONIC. */
void kernel_names_find(struct kernel_names *names, const char *root, uint64_t now_ns,
                       bool is_last);

/* Reads it at once, which takes a tenth of a second. */
void kernel_names_read(struct kernel_names *names, const char *root, uint64_t now_ns);

/* The names of another machine's kernel are these, which are sorted, and are not read:
 * they are `names`' from now on. kernel_names_look_up finds the functions of what was
 * taken. */
void kernel_names_set(struct kernel_names *names, struct kernel_symbols symbols);
void kernel_names_look_up(struct kernel_names *names);

/* Writes the functions that were found since the last time. */
void kernel_names_write(struct kernel_names *names, struct fxt_writer *writer,
                        uint64_t time_ns);

/* Another archive begins, with no samples or functions. */
void kernel_names_start_archive(struct kernel_names *names);

#endif
