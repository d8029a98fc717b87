/* SPDX-License-Identifier: BSD-2-Clause */
/* Following an archive that is being written. */
#ifndef FXTDUMP_FOLLOW_H
#define FXTDUMP_FOLLOW_H

#include <stdbool.h>

#include <fxt/record.h>

/* Whether a record is the last one of an archive of libfxtsampler. */
bool follow_is_end(const struct fxt_record *record);

#endif
