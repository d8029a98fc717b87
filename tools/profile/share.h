/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one thread has collected, taken into what all have. Nothing depends on the order
 * in which that is done but the numbers of things, which profile_finish makes anew, and
 * the order of samples that it leaves to an output.
 *
 * A share is of records that stand alone: samples and drops. It has no names, modules or
 * comments.
 */
#ifndef TOOLS_SHARE_H
#define TOOLS_SHARE_H

#include "collect.h"
#include "profile.h"

/* A collect and a profile like those of the whole, as they are before anything is
 * collected. */
struct share {
    struct collect collect;
    struct profile profile;
    struct modules modules;
};

/* The share must stay where it is. */
void share_start(struct share *share, const struct collect *whole);

/* Adds a share to the whole and frees it. */
void share_end(struct share *share, struct collect *whole);

#endif
