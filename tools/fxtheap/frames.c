/* SPDX-License-Identifier: BSD-2-Clause */
/* See frames.h. */
#include "frames.h"

#include "common/base/table.h"

struct frames frames_of(const struct fxt_profile *profile, size_t stack)
{
    struct frames frames = {.profile = profile};

    fxt_profile_get_stack(profile, stack, &frames.stack);
    return frames;
}

bool frames_next(struct frames *f, struct fxt_profile_line *line)
{
    while (f->at == f->location.n_lines) {
        if (f->next == f->stack.n_locations)
            return false;
        fxt_profile_get_location(f->profile, f->stack.locations[f->next++], &f->location);
        f->at = 0;
    }
    fxt_profile_get_line(f->profile, f->location.first_line + f->at++, line);
    return true;
}

uint64_t frames_hash(const struct fxt_profile *profile, size_t stack)
{
    struct frames frames = frames_of(profile, stack);
    struct fxt_profile_line line;
    uint64_t hash = hash_start();

    while (frames_next(&frames, &line))
        hash = hash_word(hash, (uint64_t)line.function << 32 | line.line);
    return hash;
}

bool frames_equal(const struct fxt_profile *profile, size_t a, size_t b)
{
    struct frames left = frames_of(profile, a);
    struct frames right = frames_of(profile, b);
    struct fxt_profile_line one;
    struct fxt_profile_line other;
    bool has_one;

    do {
        has_one = frames_next(&left, &one);
        if (has_one != frames_next(&right, &other))
            return false;
    } while (has_one && one.function == other.function && one.line == other.line);
    return !has_one;
}
