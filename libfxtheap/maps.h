/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies the lines of /proc/self/maps that are of code to the table, with the views that
 * layout.h describes. */
#ifndef LIBFXTHEAP_MAPS_H
#define LIBFXTHEAP_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "table.h"

enum { CODE_RANGES_MAX = 4096, CODE_VIEWS_MAX = 1024 };

/* Addresses that are code, or have been at some time. */
struct code_range {
    uint64_t start;
    uint64_t limit;
    /* Which file it is of, and where its offset 0 would be, as a hash; 0 if it is of
     * none.
     */
    uint64_t file;
    /* Whether it was there when the mappings were read last, and was when they are being
     * read, for all that is known. */
    bool was_there;
    bool is_there;
    /* At another time another file's code was at some of these addresses. */
    bool is_shared;
};

/* Which of the shared ranges are there, as a hash. */
struct code_view {
    uint64_t hash;
    uint64_t time_ns;
};

/* All zero is none. */
struct code {
    /* A thread is reading /proc/self/maps. */
    uint32_t is_busy;
    uint32_t n_ranges;
    struct code_range ranges[CODE_RANGES_MAX];
    /* What own_space_scans returned when the lines were read last. */
    uint32_t scan;
    /* The time of the view; that of the one that began last; and where ranges are shared.
     */
    uint64_t view_ns;
    uint64_t last_view_ns;
    uint64_t low;
    uint64_t high;
    uint32_t n_views;
    struct code_view views[CODE_VIEWS_MAX];
};

/* Copies the lines of all code that is new to the table. If another thread is doing that,
 * waits until it has, but some milliseconds at most. */
void code_look(struct code *code, struct table *table, uint32_t scan, uint64_t now_ns);

/* The view of a stack: 0 if no PC of it is where ranges are shared. */
uint64_t code_view_of(const struct code *code, const uint64_t *pcs, uint64_t n_pcs);

#endif
