/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events where a window cuts what they are part of: begins and ends at its edges, which
 * the input does not have, and complete events that are shorter. They are marked by an
 * argument, which is the last one: "cut", of type bool, true.
 */
#ifndef FXTCUT_EDGE_H
#define FXTCUT_EDGE_H

#include "common/base/text.h"
#include "held.h"

struct edge {
    /* enum fxt_event_type */
    uint32_t kind;
    uint64_t timestamp;
    /* Of complete durations. */
    uint64_t end_timestamp;
    /* What is not a begin has no other arguments. */
    bool has_args;
};

/* Adds the bytes of an event that is made from one that is held, of the same family:
 * durations, asynchronous operations, flows. Where there is no room for the mark, the
 * last arguments make it. */
void edge_make(struct text *to, const struct held *event, const struct edge *edge);

#endif
