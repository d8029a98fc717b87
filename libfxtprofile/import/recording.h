/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How an archive was recorded: an instant event `recording` of category `fxtrecord`, as
 * fxtrecord writes it, has the time between two samples in an argument `period_ns`, and
 * the identification of the machine's boot in a string `boot_id`.
 */
#ifndef FXTPROFILE_IMPORT_RECORDING_H
#define FXTPROFILE_IMPORT_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

/* Longer ones are not kept. */
enum { RECORDING_BOOT_ID_MAX = 64 };

/* All zero is an unknown one. */
struct recording {
    /* 0 where it is not known; also if several recordings have different ones. */
    uint64_t period_ns;
    bool periods_differ;
    /* Of the first recording that has one; and the number of others with another one. */
    char boot_id[RECORDING_BOOT_ID_MAX];
    size_t boot_id_size;
    uint64_t n_other_boots;
};

/* Takes an event, if it is one that this is about. */
void recording_take(struct recording *recording, const struct fxt_record *record);

#endif
