/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies the lines of /proc/self/maps that are of code to the table. */
#ifndef LIBFXTHEAP_MAPS_H
#define LIBFXTHEAP_MAPS_H

#include <stdint.h>

#include "table.h"

enum { CODE_RANGES_MAX = 4096 };

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
    /* What own_space_scans returned when the lines were read last. */
    uint32_t scan;
};

/* Copies the lines of all code that is new to the table. If another thread is doing that,
 * does nothing; `code->scan` is then not `scan`. */
void code_look(struct code *code, struct table *table, uint32_t scan);

#endif
