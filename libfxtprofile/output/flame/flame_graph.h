/* SPDX-License-Identifier: BSD-2-Clause */
/* A flame graph that is being written: what the files of output_svg share. */
#ifndef FXTPROFILE_OUTPUT_FLAME_GRAPH_H
#define FXTPROFILE_OUTPUT_FLAME_GRAPH_H

#include "flame_diff.h"
#include "flame_tree.h"
#include "libfxtprofile/output/outputs.h"
#include "svg.h"

enum { FLAME_MARGIN = 10 * SVG_PX };

struct flame_graph {
    const struct profile *profile;
    const struct output_settings *settings;
    /* The title, where the settings have none. */
    struct string command;
    struct output *output;
    struct fold fold;
    struct flame_tree tree;
    /* Only where profiles are compared. */
    struct flame_diff diff;
    /* By name; only where the palette asks for it. */
    uint32_t *modules;

    /* Counts are shifted right by this, so that products with them do not overflow. */
    uint64_t total;
    unsigned shift;
    uint64_t inner_width;
    uint64_t width;
    uint64_t top;
    uint64_t height;
    uint64_t frame_height;

    struct text text;
};

/* `count` of all samples as a part of `whole`, rounded down. */
uint64_t flame_scale(const struct flame_graph *graph, uint64_t count, uint64_t whole);

/* Writes the frames: the widest ones as elements, for programs that run no script, and
 * all as data for the script. */
void flame_frames_write(struct flame_graph *graph);

/* How many frames are elements. */
uint64_t flame_frames_drawn(const struct flame_graph *graph);

#endif
