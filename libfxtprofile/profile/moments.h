/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When samples were taken, while samples are sorted, merged and dropped: the moments have
 * the numbers that samples had at first, until the end. Nothing happens unless moments
 * are kept, in place of a log of times (time_log.h): a moment stays where it was added.
 */
#ifndef FXTPROFILE_PROFILE_MOMENTS_H
#define FXTPROFILE_PROFILE_MOMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/memory.h"
#include "profile.h"
#include "time_log.h"

/* All zero keeps none. */
struct moments {
    bool is_kept;
    /* In the order of the input, with marks as in a log. */
    struct profile_moment *all;
    size_t n;
    size_t capacity;
    /* By the number of a sample in a moment, its number now. */
    uint32_t *numbers;
    size_t n_numbers;
    /* By its number now, the number that it gets next; NULL if no sample has one. */
    uint32_t *next;
};

static inline void moments_add(struct moments *moments, uint32_t sample, uint64_t time_ns)
{
    MEMORY_ADD(moments->all, moments->n, moments->capacity,
               (struct profile_moment){time_ns, sample});
}

/* All samples were added, `n_samples`, and have the numbers that are in the moments. */
void moments_start(struct moments *moments, size_t n_samples);

/* A sample, of `n_samples`, gets a new number, or that of the one that it becomes part
 * of. Numbers change for all samples at once, in moments_renumber. */
void moments_note(struct moments *moments, size_t n_samples, size_t sample,
                  size_t number);

/* Samples that moments_note was not called for since the last time are dropped. */
void moments_renumber(struct moments *moments);

/* Gives the moments to a finished profile. */
void moments_finish(struct moments *moments, struct profile *profile);

void moments_free(struct moments *moments);

#endif
