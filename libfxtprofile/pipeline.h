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

#include <fxt/profile_builder.h>

#include "libfxtprofile/import/collect.h"
#include "libfxtprofile/import/heaps/heap_snapshot.h"
#include "libfxtprofile/import/load.h"
#include "libfxtprofile/import/settings.h"
#include "libfxtprofile/import/spans.h"
#include "libfxtprofile/import/summary/summary.h"
#include "libfxtprofile/import/waits/waits.h"
#include "libfxtprofile/profile/filter.h"
#include "libfxtprofile/profile/mappings/modules.h"
#include "libfxtprofile/profile/profile.h"
#include "libfxtprofile/profile/profile_builder.h"
#include "libfxtprofile/symbols/symbolize.h"

/* What must be known before the first input. */
struct pipeline_settings {
    /* The user's, which must stay in place. What they say about inputs and symbols is the
     * caller's. */
    const struct fxt_profile_options *options;
    /* What the profile is to have for the formats that it will be written in: see the
     * members of the same names in profile.h and profile_builder.h. */
    bool has_times;
    bool keeps_pcs;
    bool merges_mappings;
    bool is_any_order;
    bool is_timeline;
    /* See event_list.h. */
    bool keeps_scheduling;
    /* The format has no times above INT64_MAX; of series of heaps only the counters. */
    bool has_signed_times;
    bool only_heap_counters;
    /* NULL for all. */
    const struct cpu_set *cpus;
    const struct time_window *window;
};

/* All zero before pipeline_init; it must stay where it is. */
struct pipeline {
    const struct fxt_profile_options *options;
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
    /* The period that would make time of samples is not known. */
    bool lacks_period;
    struct load_state loaded;
    /* The first of the profile's comments that is about what it lacks. */
    size_t first_loss;
    /* Those of them that the user has added, with the 0 at their ends. */
    struct string_table losses;
    /* The samples look like those of another sampler than the user's options state. */
    bool looks_restorable;
};

/* Whether profiles are made from scheduling records. */
static inline bool pipeline_is_of_waits(enum fxt_profile_source source)
{
    return source == FXT_PROFILE_OFF_CPU || source == FXT_PROFILE_WAKEUPS ||
           source == FXT_PROFILE_WALL_CLOCK;
}

/* Comments and files with symbols may be added from here on, and inputs from
 * pipeline_start on. */
void pipeline_init(struct pipeline *pipeline);
void pipeline_start(struct pipeline *pipeline, const struct pipeline_settings *settings);

/* Reads more inputs. */
void pipeline_load(struct pipeline *pipeline, const struct import_settings *settings);

/* Reads an input that is open, and leaves it open. */
void pipeline_load_open(struct pipeline *pipeline, const struct import_settings *settings,
                        struct input *input, const struct import_file *file);

/* After the last input: makes the profile. */
void pipeline_finish(struct pipeline *pipeline, const struct filter *filter);

/* Frees what the profile does not need. */
void pipeline_forget_inputs(struct pipeline *pipeline);

/* Adds /proc/kallsyms, for processes of this boot, if some PC is in a kernel, the input
 * has a recording of this boot without names of the kernel's functions, and the user gave
 * no symbols of a kernel. Adds nothing where addresses are hidden. */
void running_kernel_add(struct symbolizer *symbolizer, const struct modules *modules,
                        const struct profile_builder *builder);

/* Gives different functions of one name different names. */
void profile_tell_apart(struct profile *profile);

/* Adds a comment to the profile for everything that is not in it. `n_errors` is how many
 * errors were found in the input. */
void losses_comment(struct profile_builder *builder, const struct tally *tally,
                    uint64_t n_errors);

/* The same for stacks that are not whole: how many are, and the largest reasons. */
void losses_comment_stacks(struct profile_builder *builder);

/* What the profile counts: sample, span or object. */
const char *losses_noun(const struct profile *profile);

#endif
