/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is left of an archive that was removed before it was sent: an empty file, whose
 * name has its size and its time in nanoseconds, NAME.SIZE.TIME.dropped. fxtship sends it
 * as a loss.
 */
#ifndef TOOLS_DROPPED_H
#define TOOLS_DROPPED_H

#include <stdint.h>

#include "common/base/text.h"

#define DROPPED_SUFFIX ".dropped"

/* Adds the name, and a terminator. */
void dropped_name(struct text *to, const char *name, uint64_t size, uint64_t time_ns);

#endif
