/* SPDX-License-Identifier: BSD-2-Clause */
/* The one way to a word of the input: a single load, of which the value is then judged
 * and used. A test that watches which words are loaded puts its own function here. */
#ifndef LIBFXT_READER_LOAD_H
#define LIBFXT_READER_LOAD_H

#include <stdatomic.h>

#include <fxt/compiler.h>

#ifndef LOAD_WORD
#define LOAD_WORD(address) fxt_load_once_(address)
#endif

/*
 * Between a header and the rest of its record: who stored the header last, as fxt/emit.h
 * does, has all of the record there by then, and this makes the machine look in that
 * order. Thread sanitizers do not know fences; what races there does so by design.
 */
#if defined(__SANITIZE_THREAD__)
#define LOAD_FENCE() ((void)0)
#else
#define LOAD_FENCE() atomic_thread_fence(memory_order_acquire)
#endif

#endif
