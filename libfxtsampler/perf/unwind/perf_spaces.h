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
    /* All that it has mapped was read in /proc, or was reported. */
    bool is_known;
    /* But reports have been lost since. */
    bool is_doubtful;
    /* When /proc may be read again, and how long after that once more; in nanoseconds. */
    uint64_t next_read;
    uint64_t wait;
    /* The process has been sampled in the kernel. */
    bool was_in_kernel;
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
    /* When /proc may be read again, of any process; and how often it has been. */
    uint64_t next_read;
    uint64_t n_read_again;
};

void perf_spaces_take_event(struct perf_spaces *spaces,
                            const struct fxt_sampler_event *event);

/* A thread of the process has ended. */
void perf_spaces_take_exit(struct perf_spaces *spaces, pid_t process);

/* Reads what a process that has not been seen before has mapped, or what all have; call
 * this as soon as the kernel reports what they map. */
void perf_spaces_read(struct perf_spaces *spaces, pid_t process);
void perf_spaces_read_all(struct perf_spaces *spaces);

/* The space of a process, valid until the next call of a function here; reads /proc if
 * nothing is known, or, with the time, if it may be wrong. */
struct perf_space *perf_spaces_find(struct perf_spaces *spaces, pid_t process,
                                    uint64_t now);

/* Reads /proc once more, where code turned out to be missing in a space; what is known
 * stays if the process has ended. Returns false, and does nothing, if that was tried not
 * long ago. */
bool perf_spaces_read_again(struct perf_spaces *spaces, struct perf_space *space,
                            uint64_t now);

/* The kernel had to drop records: any space may be wrong. */
void perf_spaces_take_loss(struct perf_spaces *spaces);

/* Gives the modules of a file in a space the file's table, which has been built. */
void perf_space_resolve(struct perf_space *space, const struct perf_tables *tables,
                        uint32_t file);

#endif
