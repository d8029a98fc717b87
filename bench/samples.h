/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sampler's regions as a busy machine would leave them, for benchmarks: any number of
 * samples, of stacks that are half alike, as those of a program are.
 *
 * Each thread stays on one CPU, and each stack is of one thread.
 */
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SAMPLES_REGIONS = 4 };

struct samples {
    /* All regions, concatenated, each of region_size bytes, in an unnamed file; open for
     * children, too. */
    int fd;
    size_t size;
    size_t region_size;
    uint64_t n_samples;
    uint64_t n_stacks;
    /* The PCs of all different stacks, in bytes. */
    uint64_t stack_bytes;
};

/* The code that the PCs are in: adjacent functions of one size. */
#define SAMPLES_CODE 0xffffffff80100000
enum { SAMPLES_FUNCTIONS = 4000, SAMPLES_FUNCTION_SIZE = 256 };

/* All regions together have `mib` MiB, at least 4. */
struct samples_shape {
    size_t mib;
    /* How many different stacks there are; 0 for one in eight samples. */
    uint64_t n_stacks;
    /* Depths are as in depths.h, and not from 20 to 40. */
    bool is_mixed;
};

/* Ends the program where there is no room for the file. */
struct samples samples_make(struct samples_shape shape);

/* The code as an ELF file of no name, with a symbol for each function. */
int samples_make_elf(void);

#endif
