/* SPDX-License-Identifier: BSD-2-Clause */
/* What was recorded, as one archive that needs nothing else. */
#ifndef FXTRECORD_ARCHIVE_H
#define FXTRECORD_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "book.h"
#include "kernel.h"
#include "text.h"

/* A region that was filled, and what it lacks. */
struct piece {
    uint32_t cpu;
    const void *data;
    uint64_t size;
    /* How many bytes of records archive_survey has found. */
    uint64_t used;
    uint64_t dropped;
    uint64_t dropped_bytes;
    uint64_t lost;
    uint64_t first_drop;
    uint64_t last_drop;
    /* `data` is to be unmapped. */
    bool is_mapped;
};

struct pieces {
    struct piece *all;
    size_t n;
    size_t capacity;
};

struct recording {
    struct pieces pieces;
    struct book book;
    struct kernel kernel;
    /* The command line, quoted. */
    const char *command_line;
    const char *method;
    uint64_t period_ns;
    /* The same moment by two clocks. */
    uint64_t start_monotonic_ns;
    uint64_t start_wall_ns;
    /* What archive_survey finds: samples in the regions, and records that are damaged. */
    uint64_t n_samples;
    uint64_t n_damaged;
};

/* Looks through all regions, marks in the book whose stacks are in them, and reads the
 * files that these show. */
void archive_survey(struct recording *recording);

/* Writes everything, or all but the samples. Returns false, with the reason added to
 * `why`, if that failed, and then there is no file. */
bool archive_write(const struct recording *recording, const char *name, bool has_samples,
                   struct text *why);

/* Writes each CPU's pieces as one region, cpu0.bin and so on: a process's records behind
 * another's. Returns false, with the reason added to `why`, if that failed. */
bool archive_write_regions(const struct pieces *pieces, const char *directory,
                           struct text *why);

#endif
