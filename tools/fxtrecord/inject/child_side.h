/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program that is sampled from inside leaves in its directory; see inject.h. */
#ifndef FXTRECORD_INJECT_CHILD_SIDE_H
#define FXTRECORD_INJECT_CHILD_SIDE_H

#include <sys/types.h>

#include <fxt/sampler.h>

#include "inject.h"

/* Makes a directory for this program in that of the recording: a process that runs one
 * program after the other has several. Returns its name, or NULL. */
const char *leave_make_directory(const char *parent);

/* What this program has mapped. */
void leave_maps(void);

/* The name of this program, which a child of fork has from its parent; and those of a
 * thread and of all threads: each with the time, as it counts from then on. */
void leave_program(void);
void leave_name(pid_t thread);
void leave_names(void);

/* Reports the end, and the counts of the samples of a session, which is stopped; NULL if
 * there was none. */
void leave_end(const struct fxt_sampler *session, enum inject_end how);

#endif
