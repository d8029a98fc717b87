/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How an archive was recorded, by instant events of category `fxtrecord`, as fxtrecord
 * writes them. `recording` has the time between two samples that was asked for in an
 * argument `asked_period_ns`, and the identification of the machine's boot in a string
 * `boot_id`. `recording_end`, which a recorder that was killed has not written, has the
 * time that there really was in `period_ns`; `recording` may have that, too. Further
 * arguments have what was recorded.
 */
#ifndef FXTPROFILE_IMPORT_RECORDING_H
#define FXTPROFILE_IMPORT_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "common/base/text.h"

/* Longer boot ids are not kept; of more recordings, only what they state about samples is
 * used. */
enum { RECORDING_BOOT_ID_MAX = 64, RECORDING_STATEMENTS_MAX = 16 };

/* What one event states; empty and 0 where it does not. */
struct recording_statement {
    struct text command_line;
    struct text method;
    /* The version of the recorder. */
    struct text version;
    uint64_t start_ns;
    uint64_t period_ns;
    uint64_t n_throttled;
};

/* All zero is an unknown one. */
struct recording {
    /* 0 where it is not known; also if several recordings have different ones. */
    uint64_t period_ns;
    bool periods_differ;
    /* Of the recording whose events come now, 0 where they are not known: its period, the
     * one that was asked for, and when it started; and that of the last one. */
    uint64_t present_ns;
    uint64_t present_asked_ns;
    uint64_t present_start_ns;
    uint64_t start_ns;
    /* Of the first recording that has one; and the number of others with another one. */
    char boot_id[RECORDING_BOOT_ID_MAX];
    size_t boot_id_size;
    uint64_t n_other_boots;
    /* `has_statement`: the last one is of the recording whose events come now. */
    bool has_statement;
    struct recording_statement statements[RECORDING_STATEMENTS_MAX];
    size_t n_statements;
};

/* Takes an event, if it is one that this is about. */
void recording_take(struct recording *recording, const struct fxt_record *record);

/* A stream ends, and a recording with it. */
void recording_end_stream(struct recording *recording);

#endif
