/* SPDX-License-Identifier: BSD-2-Clause */
/* A file for speedscope that is being written: what the files of output_speedscope share.
 */
#ifndef FXTPROFILE_OUTPUT_SPEEDSCOPE_H
#define FXTPROFILE_OUTPUT_SPEEDSCOPE_H

#include "fold.h"

/* A sample and the profile that it is part of. */
struct speedscope_part {
    struct string group;
    uint32_t sample;
};

struct speedscope {
    struct fold fold;
    struct output *output;
    /* The profiles' names, and the samples, those of each profile together. */
    struct string_table groups;
    struct speedscope_part *parts;
    size_t n_parts;
    /* The frames, which differ in name, file or line, and by lines of the input profile
     * their numbers. */
    struct string_table frames;
    uint32_t *line_frames;
    /* By these numbers, the places in the list of frames that is written. */
    uint32_t *places;
    /* When the first span begins, and the last one ends. */
    uint64_t first_ns;
    uint64_t last_ns;

    /* The frames of a sample, root first. */
    uint32_t *stack;
    size_t n_stack;
    size_t stack_capacity;
    struct text text;
};

uint64_t speedscope_weight(const struct speedscope *scope, size_t part);
uint64_t speedscope_time(const struct speedscope *scope, size_t part);

/* Writes text after what is not written yet. */
void speedscope_write_key(struct speedscope *scope, const char *key);

/* Sets scope->stack. */
void speedscope_find_stack(struct speedscope *scope, size_t part);

/* Writes a profile of `n` parts, `first` and the following, in the order of time. Spans
 * are events, and samples have gaps where their thread did not run. */
void speedscope_write_profile(struct speedscope *scope, size_t first, size_t n);

#endif
