/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling a command by signals: a shared object is loaded into each program that the
 * command runs (see preload.c), samples it, and writes the results into a directory for
 * each. Here is the recorder's side of that.
 *
 * In the directory of a process, whose name begins with its id and a dot, are
 *
 *     cpu0.bin ...   regions, as libfxtsampler leaves them
 *     maps           its /proc/self/maps, from when it began, and again when it ended
 *     names          a line for each name of the program (0) and of a thread (its id):
 *                    id, time, name, with spaces between them
 *     end            when it is over: a line with enum inject_end, the CPU time that was
 *                    sampled, how often a period was stretched and how many samples
 *                    repeat a stack; and one for each CPU that lacks samples: the CPU,
 *                    records and bytes that were dropped, records that were lost, and
 *                    when the first and the last was
 */
#ifndef FXTRECORD_INJECT_INJECT_H
#define FXTRECORD_INJECT_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/string_table.h"
#include "common/processes/recording.h"

/* The environment of the shared object. */
enum { INJECT_DIRECTORY_SIZE = 1024 };
#define INJECT_DIRECTORY "FXTRECORD_DIRECTORY"
#define INJECT_PERIOD "FXTRECORD_PERIOD"
#define INJECT_BUFFER_SIZE "FXTRECORD_BUFFER_SIZE"
#define INJECT_FLAGS "FXTRECORD_FLAGS"

/* How the sampling of a program ended: with the program; when the program began to use
 * SIGPROF; or before it began. */
enum inject_end { INJECT_ENDED, INJECT_GAVE_UP, INJECT_FAILED };

struct inject {
    char directory[INJECT_DIRECTORY_SIZE];
    /* A file in it that is locked while the recorder lives: see make_in. */
    int lock;
    struct text preload;
    char period[24];
    char buffer_size[24];
    char flags[12];
    /* Names and values by turns, up to a NULL. */
    const char *environment[11];
    /* The directories of processes whose files were opened. */
    struct string_table seen;
    /* Those processes, by the number of their directory in `seen`. */
    struct inject_process *processes;
    size_t n_processes;
    size_t process_capacity;
    /* What inject_take has found: samples, also those that were dropped or lost; samples
     * that repeat a stack; full regions of programs that have not reported what these
     * lack; programs that were sampled, that use SIGPROF themselves, and that could not
     * be sampled, or not to their end. */
    uint64_t n_samples;
    uint64_t n_dropped;
    uint64_t n_lost;
    uint64_t n_merged;
    uint64_t n_unreported;
    unsigned n_sampled;
    unsigned n_gave_up;
    unsigned n_failed;
};

/* Makes the directory and the environment. Returns false, with the reason added to
 * `why`, if there is no such shared object, or no directory. */
bool inject_prepare(struct inject *inject, uint64_t period_ns, uint64_t buffer_size,
                    uint32_t flags, struct text *why);

/* Opens the files that new processes have mapped, before they may be deleted. */
void inject_look(struct inject *inject, struct process_table *table);

/* Takes what the programs have written since the last time, up to a few megabytes: copies
 * of the records, which the block frees. Of programs that have ended, or of all if
 * `is_last`, it takes what they have reported and removes their files. Nothing in the
 * block means that there is no more for now. */
void inject_take(struct inject *inject, struct recording *recording,
                 struct filled_regions *block, bool is_last);

/* Removes the directory. */
void inject_remove(struct inject *inject);

/* For inject_look. */
void inject_look_at_process(struct inject *inject, struct process_table *table,
                            const char *path, const char *name);

#endif
