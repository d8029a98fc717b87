/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The slices of a timeline's tracks that have begun and have not ended, while events are
 * written in the order of time: whether a slice is nested in those that are open, and
 * which of them end before the next event.
 */
#ifndef FXTPROFILE_OUTPUT_OPEN_SLICES_H
#define FXTPROFILE_OUTPUT_OPEN_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A track without open slices. */
#define OPEN_SLICES_NONE UINT32_MAX

struct open_slice {
    uint64_t end_ns;
    /* The one around it, or the next one that is free. */
    uint32_t below;
    /* For the caller. */
    uint32_t event;
};

/* All zero has none. */
struct open_slices {
    struct open_slice *slices;
    size_t n;
    size_t capacity;
    /* 1 and the number of a free one; 0 for none. */
    uint32_t first_free;
};

/* Whether a slice that begins now is nested. `top` is the innermost open slice of its
 * track, and all that have ended were closed. */
static inline bool open_slices_fits(const struct open_slices *open, uint32_t top,
                                    uint64_t end_ns)
{
    return top == OPEN_SLICES_NONE || open->slices[top].end_ns >= end_ns;
}

/* A slice begins, and becomes the innermost. */
void open_slices_push(struct open_slices *open, uint32_t *top, uint64_t end_ns,
                      uint32_t event);

/* Closes the innermost slice, which is stored to `*slice`, if it ends by `time_ns`. */
bool open_slices_pop(struct open_slices *open, uint32_t *top, uint64_t time_ns,
                     struct open_slice *slice);

#endif
