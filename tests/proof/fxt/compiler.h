/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stands in for include/fxt/compiler.h while the proofs are made: what it asks of a
 * compiler, in words that Frama-C knows. What another party may have written is any value
 * at all.
 */
#ifndef FXT_COMPILER_H
#define FXT_COMPILER_H

#include <stdbool.h>
#include <stdint.h>

#define FXT_BEGIN_DECLS
#define FXT_END_DECLS
#define FXT_API
#define FXT_LIKELY(condition) (condition)
#define FXT_UNLIKELY(condition) (condition)
#define FXT_PREFETCH(address) ((void)(address))
#define FXT_INLINE static inline
#define FXT_NOINLINE
#define FXT_ALWAYS_INLINE inline
#define FXT_OUT_OF_LINE static
#define FXT_MAY_ALIAS
#define FXT_NO_SANITIZE
#define FXT_FORGET_ORIGIN(value) ((void)0)
#define FXT_HOST_IS_BIG_ENDIAN 0

/*@ assigns \nothing; */
uint32_t proof_load(const uint32_t *at);

/*@ requires \valid(at);
    assigns *at; */
void proof_store(uint32_t *at, uint32_t value);

#define FXT_LOAD_RELAXED(at) proof_load(at)
#define FXT_LOAD_ACQUIRE(at) proof_load(at)
#define FXT_STORE_RELAXED(at, value) proof_store(at, value)
#define FXT_STORE_RELEASE(at, value) proof_store(at, value)

/*@ requires \valid(at);
    assigns *at;
    ensures *at == value; */
static inline void fxt_store_release_(uint64_t *at, uint64_t value)
{
    *at = value;
}

/* What is proved has its own; see cursor.c. */
uint64_t fxt_load_once_(const void *from);

/*@ assigns \nothing; */
uint64_t proof_swap(uint64_t value);

#define FXT_SWAP64(value) proof_swap(value)

/* Only what is not proved copies bytes. */
void proof_copy(void *to, const void *from, unsigned long size);

#define FXT_COPY(to, from, size) proof_copy(to, from, size)

#endif
