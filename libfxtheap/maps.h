/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads /proc/self/maps: the lines of code mappings, which are copied to the table, and
 * what is mapped at an address.
 */
#ifndef LIBFXTHEAP_MAPS_H
#define LIBFXTHEAP_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "table.h"

enum { CODE_RANGES_MAX = 4096, CODE_PAGES = 256 };

struct range {
    uint64_t start;
    uint64_t limit;
};

/* The addresses that have been code at some time. All zero is none. */
struct code {
    /* A thread is reading /proc/self/maps; others do not wait for it. */
    uint32_t is_busy;
    uint32_t n_ranges;
    struct range ranges[CODE_RANGES_MAX];
    /* Pages of code that were looked up last, by their numbers. */
    uint64_t pages[CODE_PAGES];
    /* When to look again at the earliest, and how long to wait after that. */
    uint64_t next_look_ns;
    uint64_t pause_ns;
};

/* Copies the lines of all code to the table. */
void code_look(struct code *code, struct table *table, uint64_t now_ns);

/* Whether an address is in code. If it is not known, this reads /proc/self/maps; but not
 * often if that does not help, unless the address is sure to be code. */
bool code_has(struct code *code, struct table *table, uint64_t pc, bool is_sure,
              uint64_t now_ns);

/* What is mapped at an address: the mapping, or an empty range. */
struct range maps_find(uint64_t address);

#endif
