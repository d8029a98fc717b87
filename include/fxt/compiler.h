/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything that libfxt asks of a compiler beyond C11 and C++17, in one place. GCC and
 * Clang have all of it; another compiler needs only this header changed. No library is
 * needed: these are compiler built-ins.
 */
#ifndef FXT_COMPILER_H
#define FXT_COMPILER_H

#include <stdint.h>

#ifdef __cplusplus
#define FXT_BEGIN_DECLS extern "C" {
#define FXT_END_DECLS }
#else
#define FXT_BEGIN_DECLS
#define FXT_END_DECLS
#endif

/* On each function that the shared library exports; all others are hidden. */
#if defined(__GNUC__)
#define FXT_API __attribute__((visibility("default")))
#else
#define FXT_API
#endif

/* Hints; the program means the same without them. */
#define FXT_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define FXT_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define FXT_PREFETCH(address) __builtin_prefetch(address)
#define FXT_NOINLINE __attribute__((noinline))
#define FXT_ALWAYS_INLINE inline __attribute__((always_inline))

/* A copy of a constant, small number of bytes becomes a move; nothing calls memcpy. */
#define FXT_COPY(to, from, size) __builtin_memcpy(to, from, size)

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

#endif
