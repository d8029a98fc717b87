/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions and lines of a stack, the innermost first. */
#ifndef FXTHEAP_FRAMES_H
#define FXTHEAP_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/profile.h>

struct frames {
    const struct fxt_profile *profile;
    struct fxt_profile_stack stack;
    /* The next location, and the one that `at` is the next line of. */
    size_t next;
    struct fxt_profile_location location;
    uint32_t at;
};

struct frames frames_of(const struct fxt_profile *profile, size_t stack);

/* Stores the next one; false at the end. */
bool frames_next(struct frames *frames, struct fxt_profile_line *line);

/* Whether two stacks have the same functions and lines, at whatever addresses. */
uint64_t frames_hash(const struct fxt_profile *profile, size_t stack);
bool frames_equal(const struct fxt_profile *profile, size_t a, size_t b);

#endif
