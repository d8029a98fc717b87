/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What fxt/compiler.h has of atomic operations, on machines that have no instructions for
 * them, such as Cortex-M0+ (ARMv6-M) and RISC-V without the A extension. Include
 * fxt/compiler.h, which includes this where it is needed.
 *
 * Loads and stores of aligned 32-bit words are single instructions there, and fences
 * order them. Setting and clearing bits, which only fxt/gate.h needs, is done with
 * interrupts off, by two macros that the program defines before it includes any header:
 *
 *     FXT_INTERRUPTS_OFF()            turns interrupts off on this CPU, and evaluates to
 *                                     their previous state, as a uintptr_t
 *     FXT_INTERRUPTS_RESTORE(state)   restores that state
 *
 * On a machine with several CPUs these must also take and release a lock, by the
 * machine's means (RP2040: a hardware spinlock).
 */
#if defined(FXT_COMPILER_H) && !defined(FXT_LOAD_RELAXED)

FXT_INLINE uint32_t fxt_load_relaxed_(const fxt_half_ *at)
{
    return *(const volatile fxt_half_ *)at;
}

FXT_INLINE uint32_t fxt_load_acquire_(const fxt_half_ *at)
{
    uint32_t value = fxt_load_relaxed_(at);

    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return value;
}

FXT_INLINE void fxt_store_relaxed_(fxt_half_ *at, uint32_t value)
{
    *(volatile fxt_half_ *)at = value;
}

FXT_INLINE void fxt_store_release32_(fxt_half_ *at, uint32_t value)
{
    __atomic_thread_fence(__ATOMIC_RELEASE);
    fxt_store_relaxed_(at, value);
}

#define FXT_LOAD_RELAXED(at) fxt_load_relaxed_(at)
#define FXT_LOAD_ACQUIRE(at) fxt_load_acquire_(at)
#define FXT_STORE_RELAXED(at, value) fxt_store_relaxed_(at, value)
#define FXT_STORE_RELEASE(at, value) fxt_store_release32_(at, value)

#ifdef FXT_INTERRUPTS_OFF
/* Leaves the bits that are set in `keep`, sets those of `set`, and returns the previous
 * value. */
FXT_INLINE uint32_t fxt_change_bits_(fxt_half_ *at, uint32_t keep, uint32_t set)
{
    uintptr_t state = FXT_INTERRUPTS_OFF();
    uint32_t before = fxt_load_acquire_(at);

    fxt_store_release32_(at, (before & keep) | set);
    FXT_INTERRUPTS_RESTORE(state);
    return before;
}

#define FXT_FETCH_OR_ACQUIRE(at, bits) fxt_change_bits_(at, ~(uint32_t)0, bits)
#define FXT_FETCH_OR_RELEASE(at, bits) fxt_change_bits_(at, ~(uint32_t)0, bits)
#define FXT_FETCH_AND_RELEASE(at, bits) fxt_change_bits_(at, bits, 0)
#endif

#endif
