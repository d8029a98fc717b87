/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a session with FXT_SAMPLER_ARCHIVE knows of the processes that it samples: from
 * /proc, when targets are attached, and from what the kernel reports after that.
 *
 * Functions may be called from several threads. The first one that runs out of memory
 * makes all later ones do nothing.
 */
#ifndef LIBFXTSAMPLER_TRACKER_H
#define LIBFXTSAMPLER_TRACKER_H

#include <fxt/sampler.h>

#include "processes/recording.h"

struct tracker;

/* Returns NULL if there is no memory. `max_bytes` bounds what it takes; 0 is no bound. */
struct tracker *tracker_create(uint64_t max_bytes);
void tracker_destroy(struct tracker *tracker);

/* For a child of fork, instead of tracker_destroy. */
void tracker_forget(struct tracker *tracker);

void tracker_take_event(struct tracker *tracker, const struct fxt_sampler_event *event);

/* Add what /proc has of a target; and the name of one thread. */
void tracker_read_target(struct tracker *tracker, enum fxt_sampler_target target,
                         pid_t id);
void tracker_read_thread(struct tracker *tracker, pid_t process, pid_t thread);

/* Adds what children of this process have that have never called exec. */
void tracker_complete(struct tracker *tracker);

/* Calls `run` with the recording, whose memory is then the tracker's. Returns false if
 * memory has run out, now or before. */
typedef void tracker_fn(void *context, struct recording *recording);
bool tracker_run(struct tracker *tracker, tracker_fn *run, void *context);

#endif
