/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes stacks of perf events' samples: the kernel's part is in the sample, and the
 * user's is unwound by tables from the registers and the copy of the stack in it, or, if
 * it has none, taken from the sample's call chain.
 */
#ifndef LIBFXTSAMPLER_PERF_UNWIND_H
#define LIBFXTSAMPLER_PERF_UNWIND_H

#include "libfxtsampler/perf/perf_sample.h"
#include "perf_walk.h"

struct perf_unwinder;

enum perf_unwound {
    PERF_UNWOUND,
    /* A large table has to be made first: call perf_unwinder_build, then try again. */
    PERF_NEEDS_TABLE,
    /* There is no memory, or there was none before. */
    PERF_NO_MEMORY
};

/* The registers that samples must have (perf_event_attr.sample_regs_user); 0 if this
 * machine's stacks cannot be unwound by tables. */
uint64_t perf_unwinder_registers(void);

/* Returns NULL if there is no memory. */
struct perf_unwinder *perf_unwinder_create(void);
void perf_unwinder_destroy(struct perf_unwinder *unwinder);

/* What processes do, in the order of time; that some of it was lost; and what a process
 * that runs already has mapped, or all processes. */
void perf_unwinder_take_event(struct perf_unwinder *unwinder,
                              const struct fxt_sampler_event *event);
void perf_unwinder_take_exit(struct perf_unwinder *unwinder, pid_t process);
void perf_unwinder_take_loss(struct perf_unwinder *unwinder);
void perf_unwinder_read_process(struct perf_unwinder *unwinder, pid_t process);
void perf_unwinder_read_all(struct perf_unwinder *unwinder);

enum perf_unwound perf_unwinder_unwind(struct perf_unwinder *unwinder,
                                       const struct perf_sample *sample,
                                       struct perf_stack *stack);

/* Whether what the sample's process has mapped was read once more for its stack, as some
 * of it had not been reported; since the last call. */
bool perf_unwinder_has_read_again(struct perf_unwinder *unwinder);

/* Makes the table that is needed, and calls `wait` again and again until it is done. */
typedef void perf_wait_fn(void *context);
void perf_unwinder_build(struct perf_unwinder *unwinder, perf_wait_fn *wait,
                         void *context);

#endif
