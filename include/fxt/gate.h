/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stopping writers that run on other CPUs, or in interrupts, without a lock.
 *
 * A session that is to be stopped has a problem: its emitters belong to other CPUs, which
 * may be inside a write, or may have a timer pending whose handler is about to write. The
 * memory may be read, reused or freed only when neither is so, and a writer in an
 * interrupt cannot be made to wait. Hence a *gate* for each CPU: one word of three bits
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
 * The handler of a timer that goes on and on, and whoever starts it:
 *
 *     if (fxt_gate_arm(gate))
 *         set_timer(period, handler);
 *
 * Who stops the session, in three phases, each for all CPUs before the next:
 *
 *     1. fxt_gate_disable: no write and no timer starts from here on.
 *     2. Cancel the timers. For each that was cancelled, so that its handler will not
 *        run: fxt_gate_disarm. The handlers of the others find out by themselves, when
 *        they call fxt_gate_arm.
 *     3. Wait until fxt_gate_is_quiet; between two looks, sleep, or do something else.
 *
 * Then everything that was written is visible to the caller, and nothing more is written
 * until fxt_gate_enable.
 *
 * A gate also keeps writers apart: while one is inside, nobody else gets in. What
 * interrupts a writer, as an NMI does, is turned away and not made to wait, and so is a
 * thread that comes to the gate of a CPU on which another thread was interrupted. So a
 * gate is the guard that fxt/emit.h asks for where an emitter cannot have one writer.
 *
 * Nothing here waits or loops, but for what the machine may do to make a step atomic. A
 * compiler that makes calls of atomic operations (GCC's -moutline-atomics on aarch64)
 * must be told not to where there is no library.
 */
#ifndef FXT_GATE_H
#define FXT_GATE_H

#include <fxt/compiler.h>

FXT_BEGIN_DECLS

/*
 * A gate. All zero is a gate that is closed, with nobody inside. Keep those of different
 * CPUs in different cache lines. What the gate guards may be freed once it is quiet, but
 * not the gate itself, as long as somebody may come to it.
 */
struct fxt_gate {
    uint32_t state;
};

#define FXT_GATE_ENABLED_ ((uint32_t)1)
#define FXT_GATE_WRITING_ ((uint32_t)2)
#define FXT_GATE_TIMER_ ((uint32_t)4)

/* Closed, with nobody inside. */
static inline void fxt_gate_init(struct fxt_gate *gate)
{
    FXT_STORE_RELEASE(&gate->state, (uint32_t)0);
}

/* Lets writers in. Whoever gets in sees what the caller has done before. */
static inline void fxt_gate_enable(struct fxt_gate *gate)
{
    FXT_FETCH_OR_RELEASE(&gate->state, FXT_GATE_ENABLED_);
}

/* Lets nobody in any more. A write that is going on goes on. */
static inline void fxt_gate_disable(struct fxt_gate *gate)
{
    FXT_FETCH_AND_RELEASE(&gate->state, ~FXT_GATE_ENABLED_);
}

/* Whether writers were let in a moment ago; for those who would have much to do before
 * they enter. */
static inline bool fxt_gate_is_enabled(const struct fxt_gate *gate)
{
    return (FXT_LOAD_RELAXED(&gate->state) & FXT_GATE_ENABLED_) != 0;
}

/*
 * Goes in to write. Returns false, and the caller must not write, if writes are off or
 * somebody is inside. Whoever got in must leave, and must not wait for anything inside.
 */
static inline bool fxt_gate_enter(struct fxt_gate *gate)
{
    uint32_t before = FXT_FETCH_OR_ACQUIRE(&gate->state, FXT_GATE_WRITING_);

    if (FXT_LIKELY((before & (FXT_GATE_ENABLED_ | FXT_GATE_WRITING_)) ==
                   FXT_GATE_ENABLED_))
        return true;
    /* The bit is its owner's to clear. */
    if ((before & FXT_GATE_WRITING_) == 0)
        FXT_FETCH_AND_RELEASE(&gate->state, ~FXT_GATE_WRITING_);
    return false;
}

/* Leaves; after this the writer must not touch what the gate guards. */
static inline void fxt_gate_leave(struct fxt_gate *gate)
{
    FXT_FETCH_AND_RELEASE(&gate->state, ~FXT_GATE_WRITING_);
}

/*
 * Says that a timer is about to be set, from whoever sets the first or from the handler
 * that sets the next. Returns false if writes are off: the timer must not be set, none is
 * pending any more, and a handler must not touch what the gate guards from here on.
 */
static inline bool fxt_gate_arm(struct fxt_gate *gate)
{
    uint32_t before = FXT_FETCH_OR_ACQUIRE(&gate->state, FXT_GATE_TIMER_);

    if (FXT_LIKELY((before & FXT_GATE_ENABLED_) != 0))
        return true;
    FXT_FETCH_AND_RELEASE(&gate->state, ~FXT_GATE_TIMER_);
    return false;
}

/* Says that the timer is not pending any more: it was cancelled before its handler ran,
 * or its handler is done and sets no other. */
static inline void fxt_gate_disarm(struct fxt_gate *gate)
{
    FXT_FETCH_AND_RELEASE(&gate->state, ~FXT_GATE_TIMER_);
}

/*
 * Whether no write and no timer is pending. That of a gate that was disabled stays so,
 * and the caller then sees all that writers and handlers have done. One look, which never
 * waits.
 */
static inline bool fxt_gate_is_quiet(const struct fxt_gate *gate)
{
    return (FXT_LOAD_ACQUIRE(&gate->state) & (FXT_GATE_WRITING_ | FXT_GATE_TIMER_)) == 0;
}

FXT_END_DECLS

#endif
