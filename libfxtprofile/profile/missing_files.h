/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that were not found, or without symbols, by how many samples lack names for
 * it. */
#ifndef FXTPROFILE_PROFILE_MISSING_FILES_H
#define FXTPROFILE_PROFILE_MISSING_FILES_H

#include "profile.h"

struct missing_file {
    /* Its name; its build id where it has none. */
    struct string name;
    /* Its build id; empty where it has none, or files of one name have several. */
    struct string build_id;
    /* It was found, without its symbols. */
    bool is_stripped;
    /* How many samples have a frame without a name in it. */
    uint64_t n_samples;
};

/* All zero is none. */
struct missing_files {
    /* Those of most samples first. */
    struct missing_file *all;
    size_t n;
    size_t capacity;
};

/* Lists those of a finished profile; names are valid as long as the profile is. */
void missing_files_find(struct missing_files *missing, const struct profile *profile);

void missing_files_free(struct missing_files *missing);

#endif
