/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nested ranges of addresses, such as those of inlined functions: finds the innermost one
 * that contains an address.
 */
#ifndef FXTPROFILE_SYMBOLS_DWARF_RANGES_H
#define FXTPROFILE_SYMBOLS_DWARF_RANGES_H

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

/* The item that has an address, or RANGES_NONE. */
uint32_t ranges_find(const struct ranges *ranges, uint64_t address);

void ranges_free(struct ranges *ranges);

#endif
