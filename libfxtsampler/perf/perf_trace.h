/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scheduling records (docs/scheduling.md), from the kernel's records of context switches
 * and wakeups.
 *
 * There are two kinds of context switch records. Those of a CPU have both threads, and
 * one is written for each switch. Those of a thread say only that it begins or ceases to
 * run: all else that a CPU does counts as idle.
 */
#ifndef LIBFXTSAMPLER_PERF_TRACE_H
#define LIBFXTSAMPLER_PERF_TRACE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include <fxt/sampler.h>

#include "perf_sample.h"
#include "libfxtsampler/perf/unwind/perf_unwind.h"
#include "libfxtsampler/session.h"
#include "libfxtsampler/tracepoint.h"
#include "libfxtsampler/waiting.h"

struct perf_trace_cpu;

/* All zero records nothing. */
struct perf_trace {
    bool is_on;
    bool has_stacks;
    bool has_wakeups;
    struct tracepoint waking;
    /* regions.n of them. */
    struct perf_trace_cpu *cpus;
    /* A bit for each id of a thread that is recorded. */
    unsigned char *threads;
    struct waiting *waiting;
    /* The last thread that was preempted when it had no id any more. */
    uint32_t preempted_dead;
    /* When recording began, or a target was added last. */
    uint64_t since_ns;
    /* The time of the last record; and where the last archive ended. */
    uint64_t last_ns;
    uint64_t boundary_ns;
};

/* Finds out what of the session's configuration can be recorded, with events as `attr`
 * describes them. */
enum fxt_sampler_code perf_trace_open(struct perf_trace *trace,
                                      struct fxt_sampler *sampler,
                                      const struct perf_event_attr *attr);
void perf_trace_free(struct perf_trace *trace);

/* The session starts; or has got a target since. */
void perf_trace_start(struct perf_trace *trace);
void perf_trace_note_target(struct perf_trace *trace);

/* The records of a CPU, in the order of time. */
void perf_trace_take_switch(struct perf_trace *trace, uint32_t cpu,
                            const struct perf_event_header *record);
void perf_trace_take_wakeup(struct perf_trace *trace, uint32_t cpu,
                            const struct perf_event_header *record, bool of_system);
void perf_trace_take_exit(struct perf_trace *trace, uint32_t cpu,
                          const struct perf_event_header *record);
void perf_trace_take_loss(struct perf_trace *trace, uint32_t cpu);

/* The stack of the thread that the CPU's next switch record is of. */
void perf_trace_take_stack(struct perf_trace *trace, uint32_t cpu,
                           const struct perf_sample *sample,
                           const struct perf_stack *stack);

/* The session stops: writes what each CPU does. */
void perf_trace_stop(struct perf_trace *trace);

/* One archive ends, and the next begins, when all records before `time` were taken: write
 * what CPUs do; and, for the second one, which threads wait. */
void perf_trace_end_archive(struct perf_trace *trace, uint64_t time);
void perf_trace_begin_archive(struct perf_trace *trace);

#endif
