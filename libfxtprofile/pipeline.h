/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From inputs to a finished profile; builder.c makes this a public interface.
 *
 * Memory is that of the surrounding memory_run.
 */
#ifndef FXTPROFILE_PIPELINE_H
#define FXTPROFILE_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libfxtprofile/import/collect.h"
#include "libfxtprofile/import/events/events.h"
#include "libfxtprofile/import/heaps/heap_snapshot.h"
#include "libfxtprofile/import/load.h"
#include "libfxtprofile/import/settings.h"
#include "libfxtprofile/import/spans.h"
#include "libfxtprofile/import/summary/summary.h"
#include "libfxtprofile/import/waits/waits.h"
#include "libfxtprofile/profile/filter.h"
#include "libfxtprofile/profile/mappings/modules.h"
#include "libfxtprofile/profile/profile_builder.h"
#include "libfxtprofile/symbols/symbolize.h"

/* What must be known before the first input. */
struct pipeline_settings {
    /* Read spans in place of samples. */
    bool spans;
    /* The same of waits; of which the latency of wakeups, and those that last for some
     * time at least; or beside samples. */
    bool waits;
    bool wakeups;
    bool wall_clock;
    uint64_t min_wait_ns;
    /* Samples are added up by the user: see struct fxt_profile_sum. */
    bool sums;
    /* Use only heaps; or of series of heaps only the counters. */
    bool only_heap;
    bool only_heap_counters;
    /* Each block of a heap is a separate sample. */
    bool with_tags;
    /* Of series of heaps, so is each stack that was ever there. */
    bool all_heap_stacks;
    /* Samples have no CPU. */
    bool merges_cpus;
    /* Large blobs are of Zircon's sampler for arm64. */
    bool is_zircon_arm64;
    /* What the profile is to have for the formats that it will be written in: see the
     * members of the same names in profile.h and profile_builder.h. */
    bool has_times;
    bool keeps_pcs;
    bool merges_mappings;
    bool shows_ends;
    /* See tell_apart.h. */
    bool has_plain_names;
    bool is_any_order;
    bool is_timeline;
    /* See event_list.h. */
    bool keeps_scheduling;
    /* Its events know which ones they are nested in. */
    bool nests_events;
    /* The events of the inputs are added up. */
    bool has_summary;
    /* The format that it is for has no times above INT64_MAX. */
    bool has_signed_times;
    /* See running_kernel.h. */
    bool uses_running_kernel;
    /* NULL for all. */
    const struct cpu_set *cpus;
    const struct time_window *window;
};

/* All zero before pipeline_init; it must stay where it is. */
struct pipeline {
    struct symbolizer symbolizer;
    struct modules modules;
    struct spans spans;
    struct waits waits;
    struct events events;
    struct summary summary;
    struct heap heap;
    struct blob_store blobs;
    struct profile_builder builder;
    /* Empty until pipeline_finish. */
    struct profile profile;
    struct collect collect;
    bool has_signed_times;
    bool has_plain_names;
    /* The period that would make time of samples is not known. */
    bool lacks_period;
    struct load_state loaded;
    /* The first of the profile's comments that is about what it lacks. */
    size_t first_loss;
    /* Those of them that the user has added, with the 0 at their ends. */
    struct string_table losses;
    bool uses_running_kernel;
    /* The samples look like those of another sampler than the user's options state. */
    bool looks_restorable;
};

/* Comments and files with symbols may be added from here on, and inputs from
 * pipeline_start on. */
void pipeline_init(struct pipeline *pipeline);
void pipeline_start(struct pipeline *pipeline, const struct pipeline_settings *settings);

/* Reads more inputs. */
void pipeline_load(struct pipeline *pipeline, const struct import_settings *settings);

/* Reads an input that is open, and leaves it open. */
void pipeline_load_open(struct pipeline *pipeline, const struct import_settings *settings,
                        struct input *input, const struct import_file *file);

/* Filters; the time from one sample to the next and the time of the first one, 0 for what
 * the input states. */
struct pipeline_wishes {
    const struct filter *filter;
    uint64_t period_ns;
    uint64_t start_ns;
    /* Names of processes and threads do not distinguish samples. */
    bool without_names;
};

/* After the last input: makes the profile. */
void pipeline_finish(struct pipeline *pipeline, const struct pipeline_wishes *wishes);

/* Frees what the profile does not need. */
void pipeline_forget_inputs(struct pipeline *pipeline);

void pipeline_free(struct pipeline *pipeline);

#endif
