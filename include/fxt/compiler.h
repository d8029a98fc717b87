/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything that libfxt asks of a compiler beyond C11 and C++17, in one place. GCC and
 * Clang have all of it; another compiler needs only this header changed. No library is
 * needed: these are compiler built-ins.
 */
#ifndef FXT_COMPILER_H
#define FXT_COMPILER_H

/*
 * The names of the C library that the freestanding headers use: bool, true, false,
 * uint8_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t and uintptr_t.
 *
 * The compiler's own headers define them, and in the Linux kernel its own do. A kernel
 * that has neither (-nostdinc) names the header that does:
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

/* Hints; the program means the same without them. */
#define FXT_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define FXT_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
/* A function that does nothing else must be FXT_ALWAYS_INLINE: gcc takes the hint for no
 * effect, and leaves out the calls. */
#define FXT_PREFETCH(address) __builtin_prefetch(address)
#define FXT_NOINLINE __attribute__((__noinline__))
#define FXT_ALWAYS_INLINE inline __attribute__((__always_inline__))

/* On a static function of a header that is better called than copied into its callers,
 * which need not exist. */
#define FXT_OUT_OF_LINE __attribute__((__noinline__, __unused__))

/* A copy of a constant, small number of bytes becomes a move; nothing calls memcpy. */
#define FXT_COPY(to, from, size) __builtin_memcpy(to, from, size)

/* On a type through which memory of any type may be read or written. */
#define FXT_MAY_ALIAS __attribute__((__may_alias__))

/* On a function that reads memory no declaration gave it, such as stacks: sanitizers do
 * not look into it, and it is not inlined where they do look. */
#if defined(__clang__)
#define FXT_NO_SANITIZE __attribute__((__no_sanitize__("address", "memory", "thread")))
#else
#define FXT_NO_SANITIZE __attribute__((__no_sanitize__("address,thread")))
#endif

/* Integers no wider than a pointer that several parties use, each load or store done at
 * once. Who sees what a release store stored, by an acquire load, sees all that was
 * stored before it. */
#define FXT_LOAD_RELAXED(at) __atomic_load_n(at, __ATOMIC_RELAXED)
#define FXT_LOAD_ACQUIRE(at) __atomic_load_n(at, __ATOMIC_ACQUIRE)
#define FXT_STORE_RELAXED(at, value) __atomic_store_n(at, value, __ATOMIC_RELAXED)
#define FXT_STORE_RELEASE(at, value) __atomic_store_n(at, value, __ATOMIC_RELEASE)

/* Set or keep bits, and return what was there before, in one step. */
#define FXT_FETCH_OR_ACQUIRE(at, bits) __atomic_fetch_or(at, bits, __ATOMIC_ACQUIRE)
#define FXT_FETCH_OR_RELEASE(at, bits) __atomic_fetch_or(at, bits, __ATOMIC_RELEASE)
#define FXT_FETCH_AND_RELEASE(at, bits) __atomic_fetch_and(at, bits, __ATOMIC_RELEASE)

#define FXT_SWAP64(value) __builtin_bswap64(value)

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define FXT_HOST_IS_BIG_ENDIAN 1
#else
#define FXT_HOST_IS_BIG_ENDIAN 0
#endif

/* Makes the compiler forget where a value came from, so that it keeps the value it has
 * and cannot load it again from memory that somebody else may have changed since. */
#define FXT_FORGET_ORIGIN(value) __asm__("" : "+r"(value))

/* One load of a 64-bit word from any address: the word that was fetched is the word that
 * the program goes on with, whatever happens to the memory. */
static inline uint64_t fxt_load_once_(const void *from)
{
    uint64_t word;

    FXT_COPY(&word, from, sizeof(word));
    FXT_FORGET_ORIGIN(word);
    return word;
}

typedef uint32_t FXT_MAY_ALIAS fxt_half_;

/* A 64-bit release store in two halves, for machines that have none of that width: the
 * upper half, then the lower one with release. A reader may see the upper half alone. */
static inline void fxt_store_halves_(uint64_t *at, uint64_t value)
{
    fxt_half_ *halves = (fxt_half_ *)at;

    FXT_STORE_RELAXED(&halves[1 - FXT_HOST_IS_BIG_ENDIAN], (uint32_t)(value >> 32));
    FXT_STORE_RELEASE(&halves[FXT_HOST_IS_BIG_ENDIAN], (uint32_t)value);
}

/* A 64-bit release store on any machine. Some 32-bit machines could do it at once, but
 * only with floating point registers or a library. */
static inline void fxt_store_release_(uint64_t *at, uint64_t value)
{
#if __SIZEOF_POINTER__ >= 8
    FXT_STORE_RELEASE(at, value);
#else
    fxt_store_halves_(at, value);
#endif
}

#endif
