/* SPDX-License-Identifier: BSD-2-Clause */
/* Scheduling records, as docs/scheduling.md has them, written to the regions of CPUs. */
#ifndef LIBFXTSAMPLER_SCHED_RECORDS_H
#define LIBFXTSAMPLER_SCHED_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/format.h>

/* The state of a thread for which there is no number. */
enum { SCHED_STATE_NOT_KNOWN = 15 };

struct switch_record {
    uint64_t time;
    uint32_t cpu;
    /* enum fxt_thread_state, or SCHED_STATE_NOT_KNOWN. */
    uint32_t state;
    uint32_t outgoing;
    uint32_t incoming;
};

struct wakeup_record {
    uint64_t time;
    uint32_t cpu;
    uint32_t thread;
    uint32_t waker;
};

/* The stack of a thread when it was switched out. */
struct sched_stack {
    uint32_t process;
    uint32_t thread;
    enum fxt_stack_end end;
    uint32_t n_pcs;
    const uint64_t *pcs;
};

/* A thread that does not run at `time`, and since when; it may have no stack. */
struct waiting_record {
    uint64_t time;
    uint32_t cpu;
    uint32_t state;
    uint64_t since_ns;
    bool is_woken;
    uint64_t woken_ns;
    uint32_t waker;
    struct sched_stack stack;
};

/* Each to the region of `cpu`. A wakeup's own CPU is that which the thread will run on.
 */
void sched_write_switch(struct switch_record record);
void sched_write_wakeup(uint32_t cpu, const struct wakeup_record *record);
void sched_write_stack(uint32_t cpu, uint64_t time, const struct sched_stack *stack);
void sched_write_waiting(const struct waiting_record *record);

#endif
