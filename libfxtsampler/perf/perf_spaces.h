/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code that sampled processes have mapped, as unwinding needs it: what the kernel
 * reports, and, for processes that it has not reported from their beginning, what /proc
 * has. All functions need a memory_run.
 */
#ifndef LIBFXTSAMPLER_PERF_SPACES_H
#define LIBFXTSAMPLER_PERF_SPACES_H

#include <fxt/sampler.h>

#include "perf_tables.h"

/* A module's flag: its table, bias and other flags are in place. Before, its bias is its
 * address minus its offset in the file. */
#define PERF_MODULE_RESOLVED (UINT32_C(1) << 31)

struct perf_space {
    pid_t process;
    /* Nothing more is to be found in /proc. */
    bool is_known;
    /* How many threads have been seen, and not their end. */
    uint32_t n_threads;
    uint32_t generation;
    struct unwind_module *modules;
    uint32_t n_modules;
    uint32_t capacity;
};

/* All zero is none. */
struct perf_spaces {
    struct perf_tables tables;
    struct perf_space *all;
    size_t n;
    size_t capacity;
    struct table table;
    uint32_t last_generation;
};

void perf_spaces_take_event(struct perf_spaces *spaces,
                            const struct fxt_sampler_event *event);

/* A thread of the process has ended. */
void perf_spaces_take_exit(struct perf_spaces *spaces, pid_t process);

/* Reads what a process that has not been seen before has mapped; call this as soon as the
 * kernel reports what it maps. */
void perf_spaces_read(struct perf_spaces *spaces, pid_t process);

/* The space of a process, valid until the next call of a function here; reads /proc if
 * nothing is known. */
struct perf_space *perf_spaces_find(struct perf_spaces *spaces, pid_t process);

/* Gives the modules of a file in a space the file's table, which has been built. */
void perf_space_resolve(struct perf_space *space, const struct perf_tables *tables,
                        uint32_t file);

#endif
