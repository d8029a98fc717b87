/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds records to a profile: samples, names, modules and mappings; and counts all samples
 * and drops that do not become part of it.
 *
 * The CPU of a sample: in a region, that of the caller's argument; in an archive, that in
 * the name of the provider, such as cpu3; else it is not known.
 */
#ifndef FXTPROFILE_IMPORT_COLLECT_H
#define FXTPROFILE_IMPORT_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>
#include <fxt/sample.h>

#include "common/base/parse.h"
#include "events/events.h"
#include "heaps/heap_snapshot.h"
#include "libfxtprofile/profile/filter.h"
#include "libfxtprofile/profile/mappings/modules.h"
#include "libfxtprofile/profile/profile_builder.h"
#include "libfxtprofile/symbols/symbolize.h"
#include "recording.h"
#include "sampled/sampled_events.h"
#include "sample_times.h"
#include "sampler_pcs.h"
#include "spans.h"
#include "stack_blobs/blob_store.h"
#include "summary/summary.h"
#include "tally.h"
#include "waits/waits.h"

struct collect {
    struct profile_builder *builder;
    struct modules *modules;
    /* The CPUs whose samples are taken; NULL for all. */
    const struct cpu_set *cpus;
    /* Samples have no CPU, once it is known that they are taken. */
    bool merges_cpus;
    /* Only samples in this window are taken; NULL for all. */
    const struct time_window *window;
    /* If spans are asked for and not samples; else NULL. */
    struct spans *spans;
    /* The same of waits. */
    struct waits *waits;
    /* And samples. */
    bool with_samples;
    /* Where the events of a timeline go; NULL to ignore them. */
    struct events *events;
    bool nests_events;
    /* Where all events are added up; NULL to ignore them. */
    struct summary *summary;
    /* Where snapshots of heaps go; NULL to ignore them. */
    struct heap *heap;
    /* Where raw stacks are kept until they can be unwound. */
    struct blob_store *blobs;
    /* Only heaps are asked for, not samples. */
    bool only_heap;
    /* Of series of heaps, only the counters are: the format has no heaps. */
    bool only_heap_counters;
    /* Large blobs are from Zircon's sampler for arm64: see sampler_pcs.h. */
    bool is_zircon_arm64;
    /* What each sample adds to the profile's values. */
    int64_t values[PROFILE_TYPES_MAX];
    struct tally tally;

    /* The times of samples are logged, until all mappings are known. */
    bool logs_times;

    struct sampler_pcs pcs;
    struct recording recording;
    struct sampled_events sampled;
    /* The boot that records are of: see boots/boot_records.h. */
    uint32_t boot;

    /* The stream: the region's CPU, and that of the current provider. */
    uint32_t region_cpu;
    uint32_t cpu;
    uint32_t summary_stream;

    struct sample_times times;
};

/* `*collect` must be all zero but for the members up to `values`. */

/* Starts a stream. `region_cpu` is the CPU of all its samples; PROFILE_NO_CPU for an
 * archive if it is not known. In an archive mappings have times. */
void collect_start(struct collect *collect, uint32_t region_cpu, bool is_archive);

/* Returns what kind of sample it was. The record's memory must not change until
 * collect_release or collect_finish. */
enum fxt_sample_kind collect_record(struct collect *collect,
                                    const struct fxt_record *record);

/* `context` is the collect: the memory of records may change from here on. */
void collect_release(void *context);

/* The stream has ended. The provider of its last record must still be there. */
void collect_end(struct collect *collect);

/* All streams have ended, and so has modules_finish. The symbolizer finds the files by
 * which raw stacks are unwound. */
void collect_finish(struct collect *collect, struct symbolizer *symbolizer);

/* Whether samples of a CPU, which may be PROFILE_NO_CPU, are asked for. */
bool collect_wants_cpu(const struct collect *collect, uint32_t cpu);

/* The CPU in the labels of such a sample. */
static inline uint32_t collect_label_cpu(const struct collect *collect, uint32_t cpu)
{
    return collect->merges_cpus ? PROFILE_NO_CPU : cpu;
}

#endif
