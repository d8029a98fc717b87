/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples what the timer interrupt finds, into a ring that a debugger drains. This is the
 * part to carry into another firmware.
 */
#ifndef FIRMWARE_SAMPLER_H
#define FIRMWARE_SAMPLER_H

#include <stdint.h>

#include <fxt/ring.h>

enum { SAMPLER_RING_BYTES = 16384 };

/* For the debugger; drain.py takes records out of it. */
extern struct sampler_ring {
    struct fxt_ring_control control;
    uint64_t words[(SAMPLER_RING_BYTES - FXT_RING_CONTROL_BYTES) / FXT_WORD_BYTES];
} sampler_ring;

/* How many samples were taken in this session: each was written or dropped. */
extern volatile uint32_t sampler_n_taken;

/* Starts samples of the main thread, whose stack ends at `stack_end`. */
void sampler_start(uintptr_t stack_end);

/* Takes no more samples, and reports what was dropped last, for which the debugger may
 * have to make room. */
void sampler_stop(void);

/*
 * Called when more than half of the ring is full, with the debugger in mind: a breakpoint
 * here, at which the ring is drained, and nothing is lost.
 */
void sampler_ring_half_full(void);

#endif
