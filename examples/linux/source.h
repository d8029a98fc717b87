/* SPDX-License-Identifier: BSD-2-Clause */
/* What belongs to one CPU: a source of samples. */
#ifndef LINUX_SOURCE_H
#define LINUX_SOURCE_H

#include <linux/cache.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>

#include <fxt/emit.h>
#include <fxt/gate.h>
#include <fxt/ring.h>

#include "names.h"
#include "stack.h"

/*
 * What the handler has counted since the session began. Once it has stopped,
 *
 *     ticks = samples + dropped_samples + no_registers
 *
 * and the records in the ring are the samples and the names.
 */
struct counts {
    uint64_t ticks;
    uint64_t samples;
    uint64_t dropped_samples;
    uint64_t names;
    /* Ticks in which the kernel did not say what was interrupted. */
    uint64_t no_registers;
    /* Samples whose stack in the kernel could not be unwound: they have the interrupted
     * instruction only. */
    uint64_t leaf_only;
    /* Periods that went by without a tick: interrupts were off, or the machine, if it is
     * a virtual one, did not run. */
    uint64_t missed;
};

/* The timer of a CPU, and the ring that its handler writes to, with the gate that guards
 * it. */
struct source {
    /* The handler's. */
    struct fxt_gate gate;
    struct fxt_emit emit;
    struct hrtimer timer;
    uint64_t period_ns;
    uint32_t random;
    struct counts counts;
    struct names names;
    struct stack stack;

    /* The reader's, which holds this mutex. */
    struct mutex reading ____cacheline_aligned;
    struct fxt_ring ring;
    /* No handler uses the emitter: the reader may. */
    bool stopped;
    /* What was taken out of the ring and not read yet. */
    size_t n_drained;
    size_t n_read;

    /* The same in all sessions. */
    void *memory;
    unsigned char *drained;
};

/* The most that is taken out of a ring at once. */
enum { DRAINED_BYTES = 65536 };

#endif
