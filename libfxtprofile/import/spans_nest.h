/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The spans of one thread, from events in any order to stacks one after the other.
 */
#ifndef FXTPROFILE_IMPORT_SPANS_NEST_H
#define FXTPROFILE_IMPORT_SPANS_NEST_H

#include <stddef.h>
#include <stdint.h>

#include "span.h"

/* The most names of a stack; the time of deeper spans counts for the innermost of them. A
 * profile stores each stack separately: once all stacks together exceed
 * SPANS_FRAMES_MAX frames, further ones have at most SPANS_DEPTH_MAX_IN_NEED. */
enum { SPANS_DEPTH_MAX = 1024, SPANS_DEPTH_MAX_IN_NEED = 16 };
#define SPANS_FRAMES_MAX ((size_t)1 << 25)

/* Gives begins the times of their ends, and the other way round. The events are those of
 * one thread in the order of time. A begin without an end lasts until the last of them.
 */
void spans_match_ends(struct span_tally *tally, struct span_event *events, size_t n);

/* Emits the time of the spans in `n` events of one thread, which are reordered, and
 * counts events that are not spans. */
void spans_nest(struct span_tally *tally, const struct span_thread *thread,
                struct span_event *events, size_t n, spans_emit_fn *emit, void *context,
                const size_t *n_frames);

#endif
