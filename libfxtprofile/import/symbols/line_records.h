/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes records of the functions and lines at addresses of a file
 * (docs/symbol-records.md). */
#ifndef FXTPROFILE_IMPORT_SYMBOLS_LINE_RECORDS_H
#define FXTPROFILE_IMPORT_SYMBOLS_LINE_RECORDS_H

#include <stdint.h>

#include <fxt/record.h>

#include "libfxtprofile/profile/mappings/modules.h"

/* Takes such a record, of a version that is known. Returns how many entries are
 * impossible. */
uint64_t line_records_take(struct modules *modules, const struct fxt_record *record);

#endif
