/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stopping writers that run on other CPUs, or in interrupts, without a lock.
 *
 * To stop a session is not easy: its emitters belong to other CPUs, which may be in the
 * middle of a write, or may have a timer pending whose handler is about to write. The
 * memory may be read, reused or freed only when neither is the case, and a writer in an
 * interrupt handler must not wait. Hence a *gate* for each CPU: one word of three bits
 * (writes are enabled, a write is pending, a timer is pending), which is what Zircon's
 * kernel sampler does (its thread_sampler, per_cpu_state).
 *
 * The writer, on its CPU:
 *
 *     if (fxt_gate_enter(gate)) {
 *         fxt_emit_sample(&emit, ...);
 *         fxt_gate_leave(gate);
 *     }
 *
 * The handler of a periodic timer, and the code that starts the timer:
 *
 *     if (fxt_gate_arm(gate))
 *         set_timer(period, handler);
 *
 * To stop the session takes three phases, each for all CPUs before the next:
 *
 *     1. fxt_gate_disable: no write and no timer starts from here on.
 *     2. Cancel the timers. For each that was cancelled, so that its handler will not
 *        run: fxt_gate_disarm. The other handlers are refused when they call
 *        fxt_gate_arm.
 *     3. Poll fxt_gate_is_quiet until it returns true; in between, sleep or do other
 *        work.
 *
 * Then everything that was written is visible to the caller, and nothing more is written
 * until fxt_gate_enable.
 *
 * A gate is also a try-lock: while one writer is inside, no other can enter. A writer
 * that interrupts another, as an NMI does, is refused and does not wait, and so is a
 * thread that tries to enter the gate of a CPU on which another thread was interrupted
 * inside. So a gate is the guard that fxt/emit.h requires where an emitter cannot have a
 * single writer.
 *
 * Nothing here waits or loops, except as the machine may need to for an atomic operation.
 * Where there is no library, compilers must not turn atomic operations into calls (on
 * aarch64, GCC and Clang need -mno-outline-atomics).
 */
#ifndef FXT_GATE_H
#define FXT_GATE_H

#include <fxt/compiler.h>

#ifndef FXT_FETCH_OR_ACQUIRE
#error                                                                                   \
    "fxt/gate.h needs FXT_INTERRUPTS_OFF on this machine: see fxt/compiler_no_atomics.h"
#endif

FXT_BEGIN_DECLS

/*
 * A gate. All zero is a disabled gate with no writer inside. Keep the gates of different
 * CPUs in different cache lines. What a gate guards may be freed once it is quiet; the
 * gate itself must stay as long as a writer or a handler may still use it.
 */
struct fxt_gate {
    uint32_t state;
};

#define FXT_GATE_ENABLED_ ((uint32_t)1)
#define FXT_GATE_WRITING_ ((uint32_t)2)
#define FXT_GATE_TIMER_ ((uint32_t)4)

/* Initializes a gate: disabled, with no writer inside. */
FXT_INLINE void fxt_gate_init(struct fxt_gate *gate)
{
    FXT_STORE_RELEASE(&gate->state, (uint32_t)0);
}

/* Enables writes. A writer that enters sees all that the caller stored before. */
FXT_INLINE void fxt_gate_enable(struct fxt_gate *gate)
{
    FXT_FETCH_OR_RELEASE(&gate->state, FXT_GATE_ENABLED_);
}

/* Disables writes: no writer can enter from here on. A write in progress continues. */
FXT_INLINE void fxt_gate_disable(struct fxt_gate *gate)
{
    FXT_FETCH_AND_RELEASE(&gate->state, ~FXT_GATE_ENABLED_);
}

/* Whether writes are enabled, which may change at any time; spares writers work that they
 * would do before they are refused. */
FXT_INLINE bool fxt_gate_is_enabled(const struct fxt_gate *gate)
{
    return (FXT_LOAD_RELAXED(&gate->state) & FXT_GATE_ENABLED_) != 0;
}

/*
 * Enters the gate, to write. Returns false, and the caller must not write, if writes are
 * disabled or another writer is inside. A writer that has entered must call
 * fxt_gate_leave, and must not wait for anything before that.
 */
FXT_INLINE bool fxt_gate_enter(struct fxt_gate *gate)
{
    uint32_t before = FXT_FETCH_OR_ACQUIRE(&gate->state, FXT_GATE_WRITING_);

    if (FXT_LIKELY((before & (FXT_GATE_ENABLED_ | FXT_GATE_WRITING_)) ==
                   FXT_GATE_ENABLED_))
        return true;
    /* If it was set before, only the writer inside may clear it. */
    if ((before & FXT_GATE_WRITING_) == 0)
        FXT_FETCH_AND_RELEASE(&gate->state, ~FXT_GATE_WRITING_);
    return false;
}

/* Leaves the gate; after this the writer must not access what the gate guards. */
FXT_INLINE void fxt_gate_leave(struct fxt_gate *gate)
{
    FXT_FETCH_AND_RELEASE(&gate->state, ~FXT_GATE_WRITING_);
}

/*
 * Marks a timer as pending, just before it is set: the first time, or again by its
 * handler. Returns false if writes are disabled: then the timer must not be set, none is
 * marked as pending, and a handler must not access what the gate guards from here on.
 */
FXT_INLINE bool fxt_gate_arm(struct fxt_gate *gate)
{
    uint32_t before = FXT_FETCH_OR_ACQUIRE(&gate->state, FXT_GATE_TIMER_);

    if (FXT_LIKELY((before & FXT_GATE_ENABLED_) != 0))
        return true;
    FXT_FETCH_AND_RELEASE(&gate->state, ~FXT_GATE_TIMER_);
    return false;
}

/* Marks the timer as no longer pending: it was cancelled before its handler ran, or its
 * handler is done and does not set it again. */
FXT_INLINE void fxt_gate_disarm(struct fxt_gate *gate)
{
    FXT_FETCH_AND_RELEASE(&gate->state, ~FXT_GATE_TIMER_);
}

/*
 * Whether no write and no timer is pending. For a disabled gate true stays true, and the
 * caller then sees all that writers and handlers have stored. Checks once and never
 * waits.
 */
FXT_INLINE bool fxt_gate_is_quiet(const struct fxt_gate *gate)
{
    return (FXT_LOAD_ACQUIRE(&gate->state) & (FXT_GATE_WRITING_ | FXT_GATE_TIMER_)) == 0;
}

FXT_END_DECLS

#endif
