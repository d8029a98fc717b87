/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small drawings in a line of a terminal: a column for each part of a range, as high as
 * what is in it. They are made of Unicode's blocks, or of ASCII where the locale in the
 * environment is not one of UTF-8.
 */
#ifndef FXTREPORT_EVENTS_DRAWING_H
#define FXTREPORT_EVENTS_DRAWING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/profile.h>

#include "common/base/text.h"

/* Whether they are of Unicode's blocks. */
bool drawing_has_blocks(void);

/* How times in ascending order are distributed from `min_ns` to `max_ns`, on a
 * logarithmic scale. */
void drawing_of_times(struct text *text, const uint64_t *times, size_t n, uint64_t min_ns,
                      uint64_t max_ns, size_t width);

/* What a counter is from some time to another, from its lowest to its highest value.
 * Before its first one nothing is drawn. */
void drawing_of_values(struct text *text, const struct fxt_profile_counter *counter,
                       uint64_t first_ns, uint64_t last_ns, size_t width);

#endif
