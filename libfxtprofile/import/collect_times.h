/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What depends on the time of a sample: the names of its process and thread, and what the
 * process had mapped. Records that tell it may follow the sample, so that samples are
 * told apart at the end.
 */
#ifndef FXTPROFILE_IMPORT_COLLECT_TIMES_H
#define FXTPROFILE_IMPORT_COLLECT_TIMES_H

#include "collect.h"

/* Takes a kernel object record. */
void collect_name(struct collect *collect, const struct fxt_record *record);

/* Gives labels the names that their process and thread had at a time; `n_given` is that
 * of koid_names_name_at. */
void collect_choose_names(const struct collect *collect, struct profile_labels *labels,
                          uint64_t time_ns, uint64_t n_given);

/* Tells apart samples that were equal so far. All streams have ended, and so have
 * modules_finish and koid_names_finish. */
void collect_use_times(struct collect *collect);

#endif
