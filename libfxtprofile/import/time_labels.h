/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Labels that depend on the time of a sample: which names its process and thread had, and
 * the epoch of the process's mappings. The records that say so may follow the sample, so
 * samples are merged without regard to them and separated at the end.
 */
#ifndef FXTPROFILE_IMPORT_TIME_LABELS_H
#define FXTPROFILE_IMPORT_TIME_LABELS_H

#include "libfxtprofile/profile/mappings/mapping_times.h"
#include "libfxtprofile/profile/profile_builder.h"

/* Sets the names that the process and thread of labels had at a time; `n_given` is that
 * of koid_names_name_at. */
void time_labels_set_names(const struct koid_names *names, struct profile_labels *labels,
                           uint64_t time_ns, uint64_t n_given);

/* Separates equal samples from before and after a change of a name or of what is mapped
 * at an address, by the times in the builder's log. `values` is what each sample in the
 * log has added. All streams have ended, after modules_finish and koid_names_finish. */
void time_labels_separate(struct profile_builder *builder,
                          const struct mapping_times *times, const int64_t *values);

#endif
