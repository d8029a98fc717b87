/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the processes that an archive of fxtheap has, and its profile. */
#ifndef FXTHEAP_LEAK_ARCHIVE_H
#define FXTHEAP_LEAK_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/profile.h>

/* A snapshot of the archive; of a series, that which is shown. */
struct leak_process {
    uint64_t process;
    uint64_t time_ns;
    uint64_t unix_ns;
    bool was_running;
    /* When its recording began and ended; 0 if that is not known. */
    uint64_t recorded_from_ns;
    uint64_t recorded_until_ns;
    bool has_counts;
    uint64_t reallocs_in_place;
    uint64_t reallocs_moved;
    /* When its heap was largest. */
    bool of_peak;
    bool is_sampled;
    /* Of a series: its number among the processes, and its point; else 0. */
    uint64_t heap;
    uint64_t point;
    bool is_shown;
    /* Of its program; ends in a zero byte. */
    char *program;
};

struct leak_archive {
    struct fxt_profile *profile;
    struct leak_process *processes;
    size_t n_processes;
    size_t process_capacity;
    /* Of a series: the point to be shown, or 0 for the last; and whether there was one.
     */
    uint64_t wanted_point;
    bool is_series;
    /* Files with symbols are not requested from servers. */
    bool no_debuginfod;
    /* It could not be read whole. */
    bool is_damaged;
};

/* Reads an archive; `archive` is zeros but for the wanted point and no_debuginfod. If
 * it cannot be used, reports why and returns false. */
bool leak_archive_read(struct leak_archive *archive, const char *name);

/* A process as the archive has it last, or NULL. */
struct leak_process *leak_archive_process(const struct leak_archive *archive,
                                          uint64_t process);

#endif
