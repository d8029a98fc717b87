/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of samples, spans and heap blocks: those in a profile, and those that are not.
 */
#ifndef FXTPROFILE_IMPORT_TALLY_H
#define FXTPROFILE_IMPORT_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include <fxt/sample.h>

#include "common/spans/span.h"
#include "heaps/heap_snapshot.h"
#include "libfxtprofile/profile/filter.h"
#include "stack_blobs/blob_tally.h"
#include "symbols/symbol_records.h"
#include "waits/wait_tally.h"

/* What a sampler dropped on a CPU. */
struct cpu_drops {
    uint64_t records;
    uint64_t bytes;
};

/* All zero is none. */
struct tally {
    /* Samples in the profile; those among them with as many PCs as a sampler takes,
     * whose outermost frames may be missing; and those of which it says so. */
    uint64_t n_samples;
    uint64_t n_maybe_cut;
    uint64_t n_depth_limit;
    /* Callers that a sampler recorded twice, of which one was removed. */
    uint64_t n_twice;
    /* Samples of an event that their recording does not declare, which are only counted;
     * declarations that were ignored; and samples of recordings that declare no event,
     * beside others that do. */
    uint64_t n_undeclared;
    uint64_t n_refused_events;
    uint64_t n_no_event;
    /* Not in a profile of wall-clock time: samples that stand for no known time,
     * or for that of another clock. */
    uint64_t n_no_time;
    /* Not in the profile: samples of other CPUs than those asked for, and of no known one
     * where some were asked for; records of a sampler without a single whole PC; and raw
     * stacks that were not unwound. */
    uint64_t n_other_cpu;
    uint64_t n_no_cpu;
    uint64_t n_without_pcs;
    struct blob_tally blobs;
    /* The same: of other times than those asked for; and the time of spans, or parts of
     * spans, that is not in the profile. */
    uint64_t n_other_time;
    uint64_t other_time_ns;
    /* The same: samples where spans were asked for; and beginnings of spans where samples
     * were. */
    uint64_t n_not_spans;
    uint64_t n_not_samples;
    /* The same: samples where waits were asked for; and scheduling records where
     * something else was. */
    uint64_t n_not_waits;
    uint64_t n_scheduling;
    /* Samples in the input of a difference of heaps; blocks of heaps in an input with
     * samples or spans. */
    uint64_t n_not_heap;
    uint64_t n_only_heap;
    struct heap_tally heap;
    struct span_tally spans;
    /* Ends of asynchronous operations, and steps and ends of flows, without a begin. */
    uint64_t n_unopened_async;
    uint64_t n_unopened_flows;
    struct wait_tally waits;
    struct symbol_tally symbols;
    struct filter_tally filtered;
    /* Times that are too large for a number of nanoseconds: the largest number stands for
     * them. */
    uint64_t n_late;
    /* Spans and waits of a time that is too large for a value. */
    uint64_t n_long;
    /* Not in the input: dropped by the sampler for lack of room. */
    struct cpu_drops drops;
    struct cpu_drops *drops_by_cpu;
    size_t n_cpus;
    /* Recordings of another boot or machine than the first one. */
    uint64_t n_other_boots;
    /* Not read: bytes after the zero word that ends a region. */
    uint64_t n_tail_bytes;
    /* The same: after a header that does not say where the next record is. */
    uint64_t n_lost_bytes;
    /* Mapping records of a module that was not announced, or of no length. */
    uint64_t n_lost_mappings;
    /* In a debugger's log: lines outside of stacks, and stacks that lack frames. */
    uint64_t n_foreign_lines;
    uint64_t n_gaps;
    /* In JSON: members other than captures. */
    uint64_t n_foreign_members;
    /* In folded stacks: counts of which a fraction was cut off. */
    uint64_t n_fractions;
};

void tally_add_drops(struct tally *tally, const struct fxt_sample *sample);

/* Subtracts samples that were filtered later from those in the profile. */
void tally_subtract_filtered(struct tally *tally);

/* Adds the counts of a shard (see regions.c), which has only those of samples. */
void tally_merge(struct tally *tally, const struct tally *from);

#endif
