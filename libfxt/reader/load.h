/* SPDX-License-Identifier: BSD-2-Clause */
/* The only way to load a word of the input: a single load, whose value is then checked
 * and used. A test that watches which words are loaded puts its own function here. */
#ifndef LIBFXT_READER_LOAD_H
#define LIBFXT_READER_LOAD_H

#include <stdatomic.h>

#include <fxt/compiler.h>

#ifndef LOAD_WORD
#define LOAD_WORD(address) fxt_load_once_(address)
#endif

/*
 * Between a header and the rest of its record: a writer that stores the header last, as
 * fxt/emit.h does, has stored all of the record by then, and this fence makes the machine
 * load in that order. Thread sanitizers do not support fences; the race is by design.
 */
#if defined(__SANITIZE_THREAD__)
#define LOAD_FENCE() ((void)0)
#else
#define LOAD_FENCE() atomic_thread_fence(memory_order_acquire)
#endif

#endif
