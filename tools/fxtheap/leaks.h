/* SPDX-License-Identifier: BSD-2-Clause */
/* What an archive of fxtheap says is left, by stacks of functions and lines. */
#ifndef FXTHEAP_LEAKS_H
#define FXTHEAP_LEAKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"
#include "leak_archive.h"

/* Which functions may leave blocks: the patterns of a file. */
struct suppressions {
    char **patterns;
    size_t n;
    size_t capacity;
};

/*
 * Reads a file: on each line a pattern (common/base/glob.h) that must match a function's
 * whole name; empty lines and those that start with # do not count. leak:TEXT, as
 * LeakSanitizer has it, matches a name that contains TEXT. Returns false, with the reason
 * added to `why`, on failure.
 */
bool suppressions_read(struct suppressions *suppressions, const char *name,
                       struct text *why);

/* The blocks of all processes that have one stack. */
struct leak {
    uint64_t objects;
    uint64_t bytes;
    /* All that were ever allocated there, and those of them that were temporary: freed
     * before their thread has allocated or freed another one. */
    uint64_t alloc_objects;
    uint64_t alloc_bytes;
    uint64_t temporary;
    /* The times from the allocation of the youngest and of the oldest block to the
     * snapshot, if they are known. */
    bool has_ages;
    uint64_t youngest_ns;
    uint64_t oldest_ns;
    /* A stack of the profile with these functions and lines. */
    size_t stack;
    bool is_suppressed;
};

/* Blocks of similar sizes or ages, without those of suppressed stacks. */
struct leak_range {
    uint64_t objects;
    uint64_t bytes;
};

/* Sizes by their number of bits; and ages: the first range is below a millisecond, each
 * other one goes to ten times as much as the one before, and the last one has no end. */
enum { LEAK_SIZES = 65, LEAK_AGES = 9 };

/* What the processes of the archive have allocated in all. */
struct leak_history {
    uint64_t objects;
    uint64_t bytes;
    /* From the first process's begin of recording to the last one's end; 0 if that is
     * not known of all. */
    uint64_t time_ns;
    /* These are known of all. */
    bool has_counts;
    uint64_t temporary;
    uint64_t reallocs_in_place;
    uint64_t reallocs_moved;
};

struct leaks {
    struct leak_archive archive;
    /* The stacks with blocks, the most bytes first. */
    struct leak *all;
    size_t n;
    size_t capacity;
    /* Copies of those with temporary blocks, most of them first; they may have no others.
     */
    struct leak *temporary;
    size_t n_temporary;
    struct leak_history history;
    /* Of the single blocks that the archive has: see fxtheap run --with-tags. */
    struct leak_range by_size[LEAK_SIZES];
    struct leak_range by_age[LEAK_AGES];
};

/* Reads an archive; `leaks` is zeros but for what leak_archive_read takes. If it cannot
 * be used, reports why and returns false. */
bool leaks_read(struct leaks *leaks, const char *name,
                const struct suppressions *suppressions);

#endif
