/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything that libfxt requires of a compiler beyond C11 and C++17, in one place. GCC
 * and Clang have all of it; a port to another compiler changes only this header. No
 * library is needed: these are compiler built-ins.
 */
#ifndef FXT_COMPILER_H
#define FXT_COMPILER_H

/*
 * The names of the C library that the freestanding headers use: bool, true, false,
 * uint8_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t and uintptr_t.
 *
 * They come from the compiler's headers, or in the Linux kernel from the kernel's. A
 * kernel that has neither (-nostdinc) names the header that defines them:
 *
 *     -DFXT_TYPES_HEADER='<kernel/types.h>'
 */
#if defined(FXT_TYPES_HEADER)
#include FXT_TYPES_HEADER
#elif defined(__KERNEL__)
#include <linux/stddef.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stdint.h>
#endif

#ifdef __cplusplus
#define FXT_BEGIN_DECLS extern "C" {
#define FXT_END_DECLS }
#else
#define FXT_BEGIN_DECLS
#define FXT_END_DECLS
#endif

/* All attributes are written with underscores: the bare words may be macros of the
 * program, as noinline is in Linux. */

/* On each function that the shared library exports; all others are hidden. */
#if defined(__GNUC__)
#define FXT_API __attribute__((__visibility__("default")))
#else
#define FXT_API
#endif

/* Hints; they do not change what the program does. */
#define FXT_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define FXT_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
/* A function that does nothing else must be FXT_ALWAYS_INLINE: gcc assumes that the hint
 * has no effect, and removes calls of such a function. */
#define FXT_PREFETCH(address) __builtin_prefetch(address)
#define FXT_NOINLINE __attribute__((__noinline__))
#define FXT_ALWAYS_INLINE inline __attribute__((__always_inline__))

/*
 * What precedes each function that the freestanding headers define. A kernel that must
 * not trace, probe or instrument them gives their attributes, as in
 *
 *     -DFXT_FUNCTION_ATTRIBUTES='notrace __no_stack_protector'
 *
 * or, to have them in a section, __attribute__((__section__(".noinstr.text"))).
 */
#ifndef FXT_FUNCTION_ATTRIBUTES
#define FXT_FUNCTION_ATTRIBUTES
#endif

/* On each function that the freestanding headers define. libfxtemit defines both
 * differently, so that each becomes a function that other languages can call. */
#ifndef FXT_INLINE
#define FXT_INLINE static inline FXT_FUNCTION_ATTRIBUTES
#endif
/* Is not to be inlined, and a program may leave it unused. */
#ifndef FXT_OUT_OF_LINE
#define FXT_OUT_OF_LINE                                                                  \
    static __attribute__((__noinline__, __unused__)) FXT_FUNCTION_ATTRIBUTES
#endif

/* Copies a constant, small number of bytes with loads and stores; does not call
 * memcpy. */
#define FXT_COPY(to, from, size) __builtin_memcpy(to, from, size)

/* On a type through which memory of any type may be read or written. */
#define FXT_MAY_ALIAS __attribute__((__may_alias__))

typedef uint32_t FXT_MAY_ALIAS fxt_half_;

/* On a function that reads memory that belongs to no declared object, such as stacks:
 * sanitizers do not instrument it, and it is not inlined into functions that they do
 * instrument. */
#if defined(__clang__)
#define FXT_NO_SANITIZE __attribute__((__no_sanitize__("address", "memory", "thread")))
#else
#define FXT_NO_SANITIZE __attribute__((__no_sanitize__("address,thread")))
#endif

/* Atomic loads and stores of shared integers no wider than a pointer. An acquire load
 * that returns the value of a release store also makes everything visible that was stored
 * before it. */
#if __GCC_ATOMIC_INT_LOCK_FREE == 2
#define FXT_LOAD_RELAXED(at) __atomic_load_n(at, __ATOMIC_RELAXED)
#define FXT_LOAD_ACQUIRE(at) __atomic_load_n(at, __ATOMIC_ACQUIRE)
#define FXT_STORE_RELAXED(at, value) __atomic_store_n(at, value, __ATOMIC_RELAXED)
#define FXT_STORE_RELEASE(at, value) __atomic_store_n(at, value, __ATOMIC_RELEASE)

/* Set bits (or), or clear all but some bits (and), atomically, and return the previous
 * value. */
#define FXT_FETCH_OR_ACQUIRE(at, bits) __atomic_fetch_or(at, bits, __ATOMIC_ACQUIRE)
#define FXT_FETCH_OR_RELEASE(at, bits) __atomic_fetch_or(at, bits, __ATOMIC_RELEASE)
#define FXT_FETCH_AND_RELEASE(at, bits) __atomic_fetch_and(at, bits, __ATOMIC_RELEASE)
#else
#include <fxt/compiler_no_atomics.h>
#endif

/* A word with its bytes in the opposite order. GCC and Clang recognise this, and use the
 * machine's instruction for it. Where there is none, as on riscv64, GCC makes
 * __builtin_bswap64 a call of a function in libgcc, which a kernel may not have. */
#define FXT_SWAP64(value) fxt_swap64_(value)
FXT_INLINE uint64_t fxt_swap64_(uint64_t value)
{
    value = (value & 0x00ff00ff00ff00ff) << 8 | (value >> 8 & 0x00ff00ff00ff00ff);
    value = (value & 0x0000ffff0000ffff) << 16 | (value >> 16 & 0x0000ffff0000ffff);
    return value << 32 | value >> 32;
}

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define FXT_HOST_IS_BIG_ENDIAN 1
#else
#define FXT_HOST_IS_BIG_ENDIAN 0
#endif

/* Makes the compiler forget where a value came from, so that it keeps the value it has
 * and cannot load it again from memory that may have changed since. */
#define FXT_FORGET_ORIGIN(value) __asm__("" : "+r"(value))

/* Loads a 64-bit word once, from any address: the program continues with the value that
 * was loaded, whatever happens to the memory. */
FXT_INLINE uint64_t fxt_load_once_(const void *from)
{
    uint64_t word;

    FXT_COPY(&word, from, sizeof(word));
    FXT_FORGET_ORIGIN(word);
    return word;
}

/* A 64-bit release store in two halves, for machines that have no 64-bit store: the upper
 * half, then the lower one with release order. A reader may see the new upper half with
 * the old lower one. */
FXT_INLINE void fxt_store_halves_(uint64_t *at, uint64_t value)
{
    fxt_half_ *halves = (fxt_half_ *)at;

    FXT_STORE_RELAXED(&halves[1 - FXT_HOST_IS_BIG_ENDIAN], (uint32_t)(value >> 32));
    FXT_STORE_RELEASE(&halves[FXT_HOST_IS_BIG_ENDIAN], (uint32_t)value);
}

/* A 64-bit release store on any machine. Some 32-bit machines could do it in one store,
 * but only with floating point registers or a library. */
FXT_INLINE void fxt_store_release_(uint64_t *at, uint64_t value)
{
#if __SIZEOF_POINTER__ >= 8 && __GCC_ATOMIC_INT_LOCK_FREE == 2
    FXT_STORE_RELEASE(at, value);
#else
    fxt_store_halves_(at, value);
#endif
}

#endif
