/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of samples that were added up elsewhere: what is known of them, as bytes. Those
 * of inlined functions and of the one that they are in, one after the other, are the name
 * of a location, which stands in place of a PC (pc_names of the builder).
 */
#ifndef FXTPROFILE_PROFILE_STACKS_SUM_FRAMES_H
#define FXTPROFILE_PROFILE_STACKS_SUM_FRAMES_H

#include "common/base/string_table.h"

/* Strings are empty, and the line 0, where they are not known. */
struct sum_frame {
    struct string name;
    struct string module;
    struct string build_id;
    struct string source_file;
    uint32_t line;
};

void sum_frames_add(struct text *bytes, const struct sum_frame *frame);

/* Takes the first frame off; returns false if there is none. */
bool sum_frames_next(struct string *bytes, struct sum_frame *frame);

#endif
