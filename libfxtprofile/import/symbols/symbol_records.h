/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes records of symbols (docs/symbol-records.md): the names of functions that are in
 * no file, such as those of JIT compilers; and functions and lines at addresses of files.
 */
#ifndef FXTPROFILE_IMPORT_SYMBOLS_SYMBOL_RECORDS_H
#define FXTPROFILE_IMPORT_SYMBOLS_SYMBOL_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/record.h>

#include "libfxtprofile/profile/mappings/modules.h"

struct symbol_tally {
    /* Entries that are impossible, and blobs of a newer version. */
    uint64_t n_damaged;
    uint64_t n_unknown;
    /* What the recorder could not read: see the arguments of the blobs. */
    uint64_t n_unread;
};

/* Whether a record has symbols. */
bool symbol_records_is_one(const struct fxt_record *record);

/* Takes such a record. */
void symbol_records_take(struct modules *modules, const struct fxt_record *record,
                         struct symbol_tally *tally);

/* Takes a record of the functions and lines at addresses of a file, of a version that is
 * known. Returns how many entries are impossible. */
uint64_t line_records_take(struct modules *modules, const struct fxt_record *record);

#endif
