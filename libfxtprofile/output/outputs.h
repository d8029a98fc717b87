/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The output formats. Each is one file, which reads only the profile.
 */
#ifndef FXTPROFILE_OUTPUT_OUTPUTS_H
#define FXTPROFILE_OUTPUT_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/io/output.h"
#include "palette.h"
#include "libfxtprofile/profile/profile.h"

/* What can be put at the root of a folded stack. */
enum folded_root { FOLDED_PROCESS, FOLDED_THREAD, FOLDED_CPU, FOLDED_ROOTS };

/* Which of the profile's values is written, in formats that have only one. By default it
 * is the count for samples, the time for spans and the bytes for heaps. */
enum output_value {
    OUTPUT_VALUE_DEFAULT,
    OUTPUT_VALUE_COUNT,
    OUTPUT_VALUE_TIME,
    OUTPUT_VALUE_OBJECTS,
    OUTPUT_VALUE_BYTES
};

/* The appearance of a flame graph. */
struct flame_settings {
    /* NULL for the defaults: "Flame Graph" or "Icicle Graph", none, and the type of the
     * profile's first value. */
    const char *title;
    const char *subtitle;
    const char *count_name;
    /* In pixels; 0 to be as wide as the window. */
    uint32_t width;
    uint32_t frame_height;
    /* Narrower frames are left out; in hundredths of a pixel. */
    uint32_t min_width;
    enum palette palette;
    /* Roots are at the top. */
    bool inverted;
    /* Stacks are reversed: the leaf becomes the root. */
    bool reverse;
};

/* A user's settings; each format uses those that apply to it. */
struct output_settings {
    /* Folded stacks and flame graphs: the root frames, outermost first, if the user chose
     * them. */
    enum folded_root roots[FOLDED_ROOTS];
    size_t n_roots;
    bool has_roots;
    enum output_value value;
    /* Kernel functions are marked, and inlined ones. */
    bool annotate;
    /* Samples are not merged, and are in the order of time. */
    bool no_merge;
    struct flame_settings flame;
    /* Likewise: frames have their file and line. */
    bool lines;
    /* pprof: inlined functions are separate frames, and not lines of one frame. In folded
     * stacks they always are. */
    bool inlines_are_frames;
    /* Formats that may be compressed. */
    bool plain;
    /* pprof: labels are numbers without names. */
    bool raw_labels;
};

/* The index of the value's type in the profile. */
uint32_t output_value_type(const struct profile *profile,
                           const struct output_settings *settings);

struct output_format {
    const char *name;
    /* The usual suffix of files in this format. */
    const char *suffix;
    bool is_binary;
    /* The format is compressed with gzip by default. */
    bool is_compressed;
    /* The samples are in the order of time. */
    bool keeps_times;
    /* The samples may come in any order. */
    bool sorts;
    /* It shows PCs as they were recorded. */
    bool keeps_pcs;
    /* It shows mappings, and mappings of the same part of a file only once. */
    bool merges_mappings;
    /* It is divided by its roots: by default these are the process and the thread, or for
     * captures the CPU. */
    bool needs_roots;
    /* It cannot represent heaps; or captures of stacks, which have no addresses. The
     * converters say why, in tools/convert/conversion_report.c and reports.c. */
    bool refuses_heaps;
    bool refuses_captures;
    /* Writes the profile; errors are kept by the output, and checked at the end. */
    void (*write)(const struct profile *profile, const struct output_settings *settings,
                  struct output *output);
};

/* Writes a profile: compressed if the format is, with the settings' roots or else the
 * format's default for this kind of profile. */
void output_write_profile(const struct profile *profile,
                          const struct output_format *format,
                          const struct output_settings *settings, struct output *output);

/* The profile.proto of pprof. */
extern const struct output_format output_pprof;

/* One line a stack, for flame graphs. */
extern const struct output_format output_folded;

/* Symbolizer markup, for Fuchsia's symbolizer to filter. */
extern const struct output_format output_markup;

/* An interactive flame graph. */
extern const struct output_format output_svg;

/* For speedscope.app. */
extern const struct output_format output_speedscope;

/* The JSON of cargo-osdk: captures of all CPUs. */
extern const struct output_format output_json;

#endif
