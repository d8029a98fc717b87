/* SPDX-License-Identifier: BSD-2-Clause */
/* A directory with the regions of a recording, cpu0.bin and so on. */
#ifndef FXTRECORD_REGION_FILES_H
#define FXTRECORD_REGION_FILES_H

#include "common/base/text.h"
#include "common/processes/filled_regions.h"

/* A CPU's file, and how many bytes were written to it. */
struct region_file {
    uint32_t cpu;
    uint64_t size;
};

/* All zero but for the directory is none yet. */
struct region_files {
    const char *directory;
    struct region_file *all;
    size_t n;
    size_t capacity;
};

/* Appends the regions of a block to the files of their CPUs: one process's records after
 * another's. Returns false, with the reason added to `why`, if that failed. */
bool region_files_append(struct region_files *files, const struct filled_regions *block,
                         struct text *why);

/* The file of a CPU is there, written by others. */
void region_files_add(struct region_files *files, uint32_t cpu);

/* Ends the files that were written with a page that ends in zeros. */
bool region_files_end(const struct region_files *files, struct text *why);

/* Removes the files of CPUs that there are no regions of: the CPUs were never online. */
void region_files_remove_others(const struct region_files *files);

#endif
