/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records to a profile: samples, names, modules and mappings, and a count of all that a
 * sampler said and that is not among the samples.
 *
 * Which CPU a sample is of: in a region the caller says; in an archive a provider with a
 * name like cpu3 says; else nobody does.
 */
#ifndef FXTPROFILE_IMPORT_COLLECT_H
#define FXTPROFILE_IMPORT_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>
#include <fxt/sample.h>

#include "libfxtprofile/profile/filter.h"
#include "heap_snapshot.h"
#include "libfxtprofile/profile/mappings/modules.h"
#include "base/parse.h"
#include "libfxtprofile/profile/profile_builder.h"
#include "recording.h"
#include "sampler_pcs.h"
#include "spans.h"

/* What a sampler dropped on one CPU. */
struct cpu_drops {
    uint64_t records;
    uint64_t bytes;
};

/* What became of the samples of the input, or of its spans. */
struct tally {
    /* In the profile; and how many of these have as many PCs as a sampler takes, so that
     * their outermost frames may be missing. */
    uint64_t n_samples;
    uint64_t n_maybe_cut;
    /* Callers that a sampler recorded twice and that are there once. */
    uint64_t n_twice;
    /* Not in the profile: samples of other CPUs than those asked for, and of no known one
     * where some were asked for; raw stacks that were not unwound; records of a sampler
     * without a single whole PC. */
    uint64_t n_other_cpu;
    uint64_t n_no_cpu;
    uint64_t n_not_unwound;
    uint64_t n_without_pcs;
    /* The same: of other times than those asked for; and for spans, which may be in part,
     * how much of their time is not in the profile. */
    uint64_t n_other_time;
    uint64_t other_time_ns;
    /* The same: samples where spans were asked for. The other way round, how many events
     * there were that begin a span. */
    uint64_t n_not_spans;
    uint64_t n_not_samples;
    /* Samples beside heaps of which a difference was asked for; blocks of heaps beside
     * samples or spans. */
    uint64_t n_not_heap;
    uint64_t n_only_heap;
    struct heap_tally heap;
    struct span_tally spans;
    struct filter_tally filtered;
    /* Never in the input: what the sampler had no room for. */
    struct cpu_drops drops;
    struct cpu_drops *drops_by_cpu;
    size_t n_cpus;
    /* Recordings of another boot, or machine, than the first. */
    uint64_t n_other_boots;
    /* Not looked at: what stands behind the zero word that ends a region. */
    uint64_t n_tail_bytes;
    /* The same: from a header on that does not say where the next record is. */
    uint64_t n_lost_bytes;
    /* Mapping records of a module that was not announced, or of no length. */
    uint64_t n_lost_mappings;
    /* A debugger's log: lines that are part of no stack, and stacks that lack frames. */
    uint64_t n_foreign_lines;
    uint64_t n_gaps;
    /* JSON: what else there is beside the captures. */
    uint64_t n_foreign_members;
};

/* Takes what was filtered later off what is in the profile. */
void tally_filtered(struct tally *tally);

/* The drops of a CPU; there is room for all up to it from now on. */
struct cpu_drops *tally_cpu(struct tally *tally, size_t cpu);

struct collect {
    struct profile_builder *builder;
    struct modules *modules;
    /* The CPUs whose samples are wanted; NULL for all. */
    const struct cpu_set *cpus;
    /* The times that are wanted, in nanoseconds, both included; NULL for all. */
    const struct time_window *window;
    /* Where spans are asked for and not samples; else NULL. */
    struct spans *spans;
    /* Where snapshots of heaps go; NULL where they are left alone. */
    struct heap *heap;
    /* Samples are not asked for. */
    bool only_heap;
    /* Large blobs are of Zircon's sampler for arm64: see sampler_pcs.h. */
    bool is_zircon_arm64;
    /* What each sample adds to the profile's values. */
    int64_t values[PROFILE_TYPES_MAX];
    struct tally tally;

    /* Whether the profile is to log when samples were, until all mappings are known. */
    bool logs_times;

    struct sampler_pcs pcs;
    struct recording recording;

    /* The stream: the region's CPU, and that of what is read now. */
    uint32_t region_cpu;
    uint32_t cpu;

    /* The first and the last sample: in ticks of the clock that is being read, and in
     * nanoseconds of all clocks before; and the wall clock time of the first. */
    const struct fxt_provider *clock;
    uint64_t rate;
    uint64_t first_ticks;
    uint64_t last_ticks;
    bool has_time;
    uint64_t first_ns;
    uint64_t last_ns;
    bool has_start;
    uint64_t start_ns;
    /* The first sample of the stream, in nanoseconds; clocks before the one that is being
     * read. */
    bool has_stream_time;
    uint64_t stream_ns;
};

/* `*collect` must be all zero but for the members up to `values`. */

/* Another stream begins. `region_cpu` is the CPU of all its samples; PROFILE_NO_CPU for
 * an archive of which nobody said. In an archive mappings have times. */
void collect_start(struct collect *collect, uint32_t region_cpu, bool is_archive);

/* Returns what kind of a sampler's record it was. The record's memory must stay as it is
 * until collect_release, or all is over. */
enum fxt_sample_kind collect_record(struct collect *collect,
                                    const struct fxt_record *record);

/* `context` is the collect: the memory of records may change from here on. */
void collect_release(void *context);

/* The stream has ended. The provider of its last record must still be there. */
void collect_end(struct collect *collect);

/* All streams have ended, and so has modules_finish. */
void collect_finish(struct collect *collect);

void collect_free(struct collect *collect);

#endif
