/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces to measure with: the same ones on every machine. */
#ifndef BENCH_TRACES_H
#define BENCH_TRACES_H

#include <stddef.h>
#include <stdint.h>

struct trace {
    uint64_t *words;
    size_t n_words;
    uint64_t n_records;
    /* The user's: how many times memory was asked for, and how many reports there were.
     */
    uint64_t n_allocations;
    uint64_t n_reports;
    /* How much memory it takes. */
    size_t mapped;
};

/* Regions of so many MiB of kernel samples, and the zero that ends them: large blobs with
 * 30 PCs each; large blobs, and today's profiler backtraces, of depths as programs have
 * them (see depths.h). */
struct trace traces_region(size_t mib);
struct trace traces_mixed_region(size_t mib);
struct trace traces_backtraces(size_t mib);

/* A general archive: four fifths events of all kinds, one fifth context switches, after
 * tables of strings and threads. */
struct trace traces_archive(size_t mib);

/* An archive of events of 16 to 32 bytes, as tracers write most of them. */
struct trace traces_short_events(size_t mib);

void traces_free(struct trace *trace);

#endif
