/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nested ranges of addresses, such as those of symbols and inlined functions: finds the
 * innermost one that contains an address.
 */
#ifndef FXTPROFILE_SYMBOLS_RANGES_H
#define FXTPROFILE_SYMBOLS_RANGES_H

#include <stddef.h>
#include <stdint.h>

/* The addresses from `start` up to `limit` belong to an item. */
struct range {
    uint64_t start;
    uint64_t limit;
    uint32_t item;
};

/* All zero is an empty one. */
struct ranges {
    struct range *items;
    size_t n;
    size_t capacity;
};

#define RANGES_NONE UINT32_MAX

void ranges_add(struct ranges *ranges, uint64_t start, uint64_t limit, uint32_t item);

/* After the last one is added and before the first look-up. Where ranges overlap, the one
 * that starts last is chosen, and of those with the same start the one with the highest
 * item: inner items have higher numbers than outer ones. */
void ranges_finish(struct ranges *ranges);

/* The same for ranges that come in the order of their starts: for each, range_sweep_to
 * its start, and then ranges_add to `open`, which has those that the sweep is in, the
 * innermost last. All zero is the beginning. */
struct range_sweep {
    struct ranges flat;
    struct ranges open;
    uint64_t at;
};

/* Adds the parts of open ranges up to `to`, and closes those that end before it. */
void range_sweep_to(struct range_sweep *sweep, uint64_t to);

/* The ranges without overlap. */
struct ranges range_sweep_end(struct range_sweep *sweep);

/* The item that has an address, or RANGES_NONE. */
uint32_t ranges_find(const struct ranges *ranges, uint64_t address);

void ranges_free(struct ranges *ranges);

#endif
