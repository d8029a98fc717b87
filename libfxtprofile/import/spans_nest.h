/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The spans of one thread, from events in any order to stacks one after the other.
 */
#ifndef FXTPROFILE_IMPORT_SPANS_NEST_H
#define FXTPROFILE_IMPORT_SPANS_NEST_H

#include <stddef.h>
#include <stdint.h>

#include "common/spans/span.h"

/* The most names of a stack; the time of deeper spans counts for the innermost of them. A
 * profile stores each stack separately: once all stacks together exceed
 * SPANS_FRAMES_MAX frames, further ones have at most SPANS_DEPTH_MAX_IN_NEED. */
enum { SPANS_DEPTH_MAX = 1024, SPANS_DEPTH_MAX_IN_NEED = 16 };
#define SPANS_FRAMES_MAX ((size_t)1 << 25)

/* An interval in which a thread had one stack, leaf first; the stack's names are numbers
 * in spans->names, in the order of their bytes. `n_begun` is 1 if the innermost span
 * began with the interval, and else 0. */
typedef void spans_emit_fn(void *context, const struct span_thread *thread,
                           const uint64_t *stack, size_t n, uint64_t from_ns,
                           uint64_t to_ns, uint64_t n_begun);

/* Emits the time of the spans in `n` events of one thread, which are reordered, and
 * counts events that are not spans. */
void spans_nest(struct span_tally *tally, const struct span_thread *thread,
                struct span_event *events, size_t n, spans_emit_fn *emit, void *context,
                const size_t *n_frames);

#endif
