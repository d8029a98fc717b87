/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of the frames at the roots of stacks: processes, threads and CPUs. A number
 * tells processes of the same name apart, but differs from one run of a program to the
 * next; so it can be left out where it is not needed, or everywhere.
 */
#ifndef FXTPROFILE_OUTPUT_ROOT_NAMES_H
#define FXTPROFILE_OUTPUT_ROOT_NAMES_H

#include "outputs.h"

/* All zero is an empty one. */
struct root_names {
    const struct profile *profile;
    const struct output_settings *settings;
    /* The names of the profile's processes and threads as keys; by their numbers, one
     * that has the name, and whether others have it, too. */
    struct string_table keys;
    uint64_t *koids;
    bool *are_repeated;
    size_t n;
    size_t koid_capacity;
    size_t repeated_capacity;
    struct text key;
};

/* Both must stay in place. */
void root_names_start(struct root_names *names, const struct profile *profile,
                      const struct output_settings *settings);

/* Adds the name of a root to `text`. */
void root_names_add(struct root_names *names, enum fxt_profile_root root,
                    const struct profile_labels *labels, struct text *text);

#endif
