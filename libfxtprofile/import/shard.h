/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one thread has collected, taken into what all have. Nothing depends on the order
 * in which that is done but the numbers of things, which profile_builder_sort assigns
 * again, and the order of samples that it leaves to an output.
 *
 * A shard is of records that stand alone: samples and drops. It has no names, modules or
 * comments.
 */
#ifndef FXTPROFILE_IMPORT_SHARD_H
#define FXTPROFILE_IMPORT_SHARD_H

#include "collect.h"
#include "libfxtprofile/profile/profile_builder.h"

/* A collect and a profile like those of the whole, as they are before anything is
 * collected. */
struct shard {
    struct collect collect;
    struct profile_builder builder;
    struct modules modules;
};

/* The shard must stay where it is. */
void shard_start(struct shard *shard, const struct collect *whole);

/* Adds a shard to the whole and frees it; or only frees it. */
void shard_end(struct shard *shard, struct collect *whole);
void shard_drop(struct shard *shard);

#endif
