/* SPDX-License-Identifier: BSD-2-Clause */
/* The events that a session samples, where they are not the default: a copy of what the
 * configuration has. */
#ifndef LIBFXTSAMPLER_EVENTS_SOURCES_H
#define LIBFXTSAMPLER_EVENTS_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/sampler.h>

enum { SOURCE_NAME_BYTES = 64 };

/* All zero is the default. */
struct sources {
    struct fxt_sampler_source all[FXT_SAMPLER_SOURCES_MAX];
    char names[FXT_SAMPLER_SOURCES_MAX][SOURCE_NAME_BYTES];
    uint32_t n;
    /* How many events a sample stands for; 0 is as many as the kernel finds suitable, and
     * each sample says how many that is. */
    uint64_t count;
};

/* What is known of a source when a session ends; all 0 where that is not known. */
struct source_count {
    /* How many events there were. */
    uint64_t counted;
    /* How many its samples stand for, with those that were dropped or lost. */
    uint64_t sampled;
    /* Samples that the kernel had no room for. */
    uint64_t lost;
};

/* Whether a configuration's sources are possible. */
bool sources_are_valid(const struct fxt_sampler_config *config);

void sources_copy(struct sources *sources, const struct fxt_sampler_config *config);

/* CPU time, which samples are taken of by the session's period. */
bool source_is_clock(const struct fxt_sampler_source *source);

/* Whether any is; and whether samples of any must say how many events they stand for. */
bool sources_have_clock(const struct sources *sources);
bool sources_have_weights(const struct sources *sources);

#endif
