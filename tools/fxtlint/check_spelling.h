/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether records are written as libfxt's writer writes them, bit by bit: what is more
 * than that is not of the format, or of an older form of it. */
#ifndef FXTLINT_CHECK_SPELLING_H
#define FXTLINT_CHECK_SPELLING_H

#include <fxt/record.h>
#include <fxt/writer.h>

#include "findings.h"

struct check_spelling {
    struct findings *findings;
    struct fxt_writer *writer;
    bool swapped;
    /* The record that is being compared, how much of it was, and whether it is equal. */
    const struct fxt_record *record;
    size_t n_compared;
    bool is_equal;
};

/* Returns whether a record is as that writer leaves it, with the same references. */
bool check_spelling(struct check_spelling *check, const struct fxt_record *record);

/* Its two ways, for the fuzz target that compares them. An event whose strings and thread
 * are registered, and which has no bit and no word without a meaning, can be written in
 * one way only: the writer need not be asked, which would take a fifth of the time of all
 * checks. */
bool check_spelling_is_plain(const struct fxt_record *record);
/* Asks the writer, for any record. */
bool check_spelling_by_writer(struct check_spelling *check,
                              const struct fxt_record *record);

void check_spelling_free(struct check_spelling *check);

#endif
