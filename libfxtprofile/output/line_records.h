/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions and lines at addresses of files, as records of symbols have them
 * (docs/symbol-records.md). */
#ifndef FXTPROFILE_OUTPUT_LINE_RECORDS_H
#define FXTPROFILE_OUTPUT_LINE_RECORDS_H

#include <stddef.h>

#include "libfxtprofile/profile/profile.h"

/* What a record has: numbers in the profile's `files` and `build_ids`, of which the
 * latter may be UINT32_MAX, for none; so many entries, and the payload. */
struct line_record {
    uint32_t file;
    uint32_t build_id;
    uint64_t n_entries;
    struct text payload;
};

/* All zero is none. */
struct line_records {
    struct line_record *all;
    size_t n;
    size_t capacity;
};

/* Makes the records of all locations of a profile whose names are those of a module's
 * file. Their memory is that of the surrounding memory_run. */
void line_records_make(struct line_records *records, const struct profile *profile);

#endif
