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

#include "common/processes/recording.h"

struct tracker;

/* Returns NULL if there is no memory. `max_bytes` bounds what it takes; 0 is no bound. */
struct tracker *tracker_create(uint64_t max_bytes);
void tracker_destroy(struct tracker *tracker);

/* For a child of fork, instead of tracker_destroy. */
void tracker_forget(struct tracker *tracker);

void tracker_take_event(struct tracker *tracker, const struct fxt_sampler_event *event);

/* What the kernel reports to be mapped. */
struct file_mapping tracker_mapping(const struct fxt_sampler_event *event);

/* A sample of the process has kernel code. `tracker` may be NULL. */
void tracker_take_kernel(struct tracker *tracker, pid_t process);

/* Adds what a process has mapped by now: the kernel's reports were incomplete. `tracker`
 * may be NULL. */
void tracker_read_code(struct tracker *tracker, pid_t process);

/* Looks for files in which JIT compilers name their functions: to be called from time to
 * time, since they may be deleted. `tracker` may be NULL. */
void tracker_look_for_names(struct tracker *tracker);

/* Add what /proc has of a target; and the name of one thread. */
void tracker_read_target(struct tracker *tracker, enum fxt_sampler_target target,
                         pid_t id);
void tracker_read_thread(struct tracker *tracker, pid_t process, pid_t thread);

/* Labels a thread from now on; NULL gives it back its name. Returns false if there is no
 * such thread. */
bool tracker_label(struct tracker *tracker, pid_t thread, const char *label);

/* Adds what children of this process have that have never called exec. */
void tracker_complete(struct tracker *tracker);

/* Calls `run` with the recording, whose memory is then the tracker's. Returns false if
 * memory has run out, now or before. */
typedef void tracker_fn(void *context, struct recording *recording);
bool tracker_run(struct tracker *tracker, tracker_fn *run, void *context);

#endif
