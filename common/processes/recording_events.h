/* SPDX-License-Identifier: BSD-2-Clause */
/* What an archive says of its recording, as events of category fxtrecord. */
#ifndef PROCESSES_RECORDING_EVENTS_H
#define PROCESSES_RECORDING_EVENTS_H

#include "recording.h"

/* Writes what is known when an archive begins: the event recording. */
void recording_write_start(struct fxt_writer *writer, const struct recording *recording);

/* What is known when it ends, in addition to what the recording has. */
struct recording_end {
    uint64_t n_samples;
    uint64_t n_unwritten;
    /* How the stacks in it ended, by enum fxt_stack_end. */
    uint64_t ends[STACK_ENDS];
};

/* Writes that: the events stack_ends, if any stack says how it ended, and
 * recording_end. */
void recording_write_end(struct fxt_writer *writer, const struct recording *recording,
                         const struct recording_end *end);

#endif
