/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Series of points of heaps (docs/heap-records.md): what each stack has at one of them,
 * and the sums at all.
 *
 * A point's records are its changes since the one before. They count once it is complete,
 * so that an archive that ends within a point is one that ends before it.
 */
#ifndef FXTPROFILE_IMPORT_HEAP_SERIES_H
#define FXTPROFILE_IMPORT_HEAP_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/format.h>
#include <fxt/record.h>

#include "common/base/table.h"
#include "libfxtprofile/profile/filter.h"
#include "libfxtprofile/profile/profile.h"
#include "numbered_stacks.h"

/* What a stack has at the last complete point, and at the one that is to be shown. */
struct series_stack {
    struct heap_amounts now;
    struct heap_amounts shown;
};

/* A value for struct profile_stack. */
static inline uint32_t heap_known_end(uint64_t end)
{
    return end <= FXT_STACK_END_NOT_SAMPLED ? (uint32_t)end : PROFILE_END_OTHER;
}

/* What the event of a point says of a heap. */
struct series_state {
    /* 0 for none. */
    uint64_t point;
    bool is_running;
    uint64_t n_lost_blocks;
    uint64_t lost_bytes;
    uint64_t n_lost_stacks;
    uint64_t n_changed;
    uint64_t n_damaged;
};

/* A process, from an exec to the next. */
struct series_heap {
    uint64_t number;
    uint32_t stream;
    uint64_t process;
    struct heap_amounts now;
    /* At the point that was read last; and at the last one that may be shown. */
    struct series_state last;
    struct series_state shown;
    bool is_in_view;
};

struct series_change {
    uint32_t stack;
    struct heap_amounts to;
};

/* Each stream is a series. */
struct series_stream {
    uint32_t stream;
    uint64_t wanted;
    int sign;
    uint64_t start_ns;
    /* What all its heaps have ever allocated. */
    struct heap_amounts ever;
    bool has_points;
    /* The number in `points` of the one that is shown; SIZE_MAX for none. */
    size_t shown;
};

/* All zero is an empty one. */
struct heap_series {
    /* Of the next stream: its number; the point that is to be shown, 0 for the last; and
     * of which sign its values are. */
    uint32_t stream;
    uint64_t wanted;
    int sign;
    /* NULL for all times. */
    const struct time_window *window;

    struct series_stream *streams;
    size_t n_streams;
    size_t stream_capacity;
    struct series_heap *heaps;
    size_t n_heaps;
    size_t heap_capacity;
    struct table heap_table;
    /* Those of heaps, whose numbers are those in `heaps`, and what each of them has.
     * Their times are those of the points that brought them, or as their states say. */
    struct numbered_stacks known;
    struct series_stack *stacks;
    size_t n_stacks;
    size_t stack_capacity;
    struct heap_point *points;
    size_t n_points;
    size_t point_capacity;

    /* The point that is being read: its changes, and its heaps so far. */
    struct heap_point open;
    struct series_change *changes;
    size_t n_changes;
    size_t change_capacity;
    uint32_t *open_heaps;
    size_t n_open_heaps;
    size_t open_heap_capacity;

    uint64_t sample_bytes;
    /* Stacks have counts of temporary blocks. */
    bool has_temporary;
    /* Entries and events that cannot be. */
    uint64_t n_damaged;
};

/* Takes a blob of entries, of version 2. */
void heap_series_take(struct heap_series *series, const struct fxt_record *record);

/* Takes the event that ends a heap's part of a point. */
void heap_series_take_event(struct heap_series *series, const struct fxt_record *record);

/* After the last stream: decides which heaps are shown. */
void heap_series_settle(struct heap_series *series);

static inline const struct series_stream *heap_series_stream(
    const struct heap_series *series, const struct series_heap *heap)
{
    const struct series_stream *stream = series->streams;

    while (stream->stream != heap->stream)
        stream++;
    return stream;
}

void heap_series_free(struct heap_series *series);

#endif
