/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds snapshots of heaps (docs/heap-records.md) to a profile: the memory of each stack
 * that is in use, and all that it has allocated; or, with tags, each block as a separate
 * sample. Of a series of them, one is shown: see heap_series.h.
 *
 * A sampled block stands for several; their sum for a stack is rounded once.
 */
#ifndef FXTPROFILE_IMPORT_HEAP_SNAPSHOT_H
#define FXTPROFILE_IMPORT_HEAP_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "heap_series.h"
#include "numbered_stacks.h"
#include "libfxtprofile/profile/filter.h"
#include "libfxtprofile/profile/mappings/epochs.h"
#include "libfxtprofile/profile/profile_builder.h"

/* Counts of blocks in the snapshots, and of those left out for each reason. */
struct heap_tally {
    /* Blocks that are in the snapshots, and those that are not: for lack of room where
     * they were recorded; without a stack; written while they were read. */
    uint64_t n_blocks;
    uint64_t n_lost_blocks;
    uint64_t lost_bytes;
    uint64_t n_lost_stacks;
    uint64_t n_changed;
    /* Impossible entries, and references to unknown stacks. */
    uint64_t n_damaged;
    /* Blobs of a newer version. */
    uint64_t n_unknown;
    /* Blocks of other times than those asked for, and of unknown ones. */
    uint64_t n_other_time;
};

/* What a stack has. */
struct heap_stack {
    /* Of which sign the stream's values are. */
    int sign;
    double objects;
    double bytes;
    double alloc_objects;
    double alloc_bytes;
    double temporary;
};

struct heap_block {
    uint32_t stack;
    uint64_t thread;
    uint64_t time_ns;
    uint64_t address;
    uint64_t size;
    /* How many it stands for. */
    double weight;
};

/* All zero is an empty one, but for these. */
struct heap {
    bool with_tags;
    /* Of series, stacks that have nothing at the point that is shown count, too. */
    bool all_stacks;
    /* NULL for all. */
    const struct time_window *window;
    /* The snapshots that follow are subtracted. */
    bool takes_off;
    /* Of the series that follow, the point to be shown; 0 for the last. */
    uint64_t wanted_point;

    struct heap_tally tally;
    uint32_t stream;
    /* The average distance of samples in bytes, the largest there was; 0 if there are
     * none. */
    uint64_t sample_bytes;
    /* Stacks have counts of temporary blocks. */
    bool has_temporary;
    /* Those of processes, and what each of them has. */
    struct numbered_stacks known;
    struct heap_stack *stacks;
    size_t n_stacks;
    size_t stack_capacity;
    struct heap_block *blocks;
    size_t n_blocks;
    size_t block_capacity;
    struct heap_series series;
};

/* Whether a record is a piece of a snapshot. */
bool heap_is_piece(const struct fxt_record *record);

/* Another stream begins: its stacks have their own numbers. */
void heap_start_stream(struct heap *heap);

/* Takes a record for which that is so. */
void heap_take(struct heap *heap, const struct fxt_record *record);

/* Takes the events that say what was lost; others are left alone. */
void heap_take_event(struct heap *heap, const struct fxt_record *record);

/* Something was taken. */
bool heap_has_any(const struct heap *heap);

/* It was a series. */
bool heap_is_series(const struct heap *heap);

/* After the last stream: the tally is complete. */
void heap_settle(struct heap *heap);

/* Adds all that was taken to a builder without samples, whose types are replaced. Returns
 * the number of objects. */
uint64_t heap_finish(struct heap *heap, const struct epochs *epochs,
                     struct profile_builder *builder);

void heap_free(struct heap *heap);

#endif
