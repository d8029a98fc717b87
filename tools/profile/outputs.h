/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ways out of a profile. Each is one file that reads the profile and nothing else.
 */
#ifndef TOOLS_OUTPUTS_H
#define TOOLS_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "output.h"
#include "profile.h"

/* What can be put at the root of a folded stack. */
enum folded_root { FOLDED_PROCESS, FOLDED_THREAD, FOLDED_CPU, FOLDED_ROOTS };

/* What a user can choose about an output; each takes what concerns it. */
struct output_settings {
    /* Folded stacks: the root frames, outermost first. */
    enum folded_root roots[FOLDED_ROOTS];
    size_t n_roots;
    /* Formats that may be compressed. */
    bool plain;
};

struct output_format {
    const char *name;
    /* How files in this format are usually called. */
    const char *suffix;
    bool is_binary;
    /* The format is compressed with gzip unless that is not wanted. */
    bool is_compressed;
    /* Writes all of it; what fails is asked of the output at the end. */
    void (*write)(const struct profile *profile, const struct output_settings *settings,
                  struct output *output);
};

/* The profile.proto of pprof. */
extern const struct output_format output_pprof;

/* One line a stack, for flame graphs. */
extern const struct output_format output_folded;

#endif
