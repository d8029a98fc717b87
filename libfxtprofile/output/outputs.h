/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The output formats. Each is one file, which reads only the profile, and a row in
 * format_list.h.
 */
#ifndef FXTPROFILE_OUTPUT_OUTPUTS_H
#define FXTPROFILE_OUTPUT_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include <fxt/profile_write.h>

#include "common/base/io/output.h"
#include "format_list.h"
#include "palette.h"
#include "libfxtprofile/profile/profile.h"

enum { OUTPUT_ROOTS = FXT_PROFILE_ROOT_CPU + 1 };

/* The settings of an output; each format uses those that apply to it. */
struct output_settings {
    /* What the user asks for, with the defaults of lengths; but roots and `before` are
     * these. */
    struct fxt_profile_output wanted;
    /* Folded stacks and flame graphs: the root frames, outermost first, if the user chose
     * them. */
    enum fxt_profile_root roots[OUTPUT_ROOTS];
    size_t n_roots;
    bool has_roots;
    /* What the profile is compared with, or NULL. */
    const struct profile *before;
    /* By default the value is the profile's default type. */
    bool has_default_type;
    /* The command line of the recorder, if it is known; else empty. And its version, and
     * how it took samples. */
    struct string command;
    struct string recorder_version;
    struct string method;
    /* The first of the profile's comments that is about what is missing. */
    size_t first_loss;
    /* Spans and scheduling records in the input, where samples were asked for. */
    uint64_t n_spans;
    uint64_t n_scheduling;
};

/* The index of the value's type in the profile. */
uint32_t output_value_type(const struct profile *profile,
                           const struct output_settings *settings);

struct output_format {
    /* What it is, in one line for --help. */
    const char *description;
    /* Which data and settings it shows: values of enum fxt_profile_use. */
    uint32_t uses;
    bool is_binary;
    /* The format is compressed with gzip by default. */
    bool is_compressed;
    /* The samples are in the order of time. */
    bool keeps_times;
    /* Times above INT64_MAX have no place in it. */
    bool has_signed_times;
    /* It shows the profile's moments and events: see libfxtprofile/profile/timeline.h. */
    bool is_timeline;
    /* Of those events, scheduling is shown by CPU: see
     * libfxtprofile/profile/timeline.h. */
    bool keeps_scheduling;
    /* By default it shows the profile's default type: of samples the time, if that is
     * known. */
    bool has_default_type;
    /* The samples may come in any order. */
    bool sorts;
    /* It shows PCs as they were recorded. */
    bool keeps_pcs;
    /* It shows mappings, and mappings of the same part of a file only once. */
    bool merges_mappings;
    /* It is divided by its roots: by default these are the process and the thread, or for
     * captures the CPU. */
    bool needs_roots;
    /* Why it cannot represent heaps, or captures of stacks; NULL if it can. */
    const char *heap_refusal;
    const char *capture_refusal;
    /* Writes the profile; errors are kept by the output, and checked at the end. What it
     * allocates is freed with the pool of this output. */
    void (*write)(const struct profile *profile, const struct output_settings *settings,
                  struct output *output);
};

/* Writes a profile: compressed if the format is, with the settings' roots or else the
 * format's default for this kind of profile. */
void output_write_profile(const struct profile *profile,
                          const struct output_format *format,
                          const struct output_settings *settings, struct output *output);

/* A format and its row in format_list.h. */
struct output_entry {
    const char *name;
    const char *suffixes;
    const char *content;
    const struct output_format *format;
};

/* The entry of a number, or NULL. The numbers begin with 1 and have no gaps. */
const struct output_entry *output_entry(enum fxt_profile_format number);

/* The format of a number, or NULL. */
const struct output_format *output_format_of(enum fxt_profile_format number);

#define OUTPUT_DECLARE_(number, name, converter, suffixes, content)                      \
    extern const struct output_format output_##name;
OUTPUT_FORMATS(OUTPUT_DECLARE_)
#undef OUTPUT_DECLARE_

#endif
