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
#include <stdint.h>

#include "base/string_table.h"
#include "processes/recording.h"

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
    struct text preload;
    char period[24];
    char buffer_size[24];
    char flags[12];
    /* Names and values by turns, up to a NULL. */
    const char *environment[11];
    /* The directories of processes whose files were opened. */
    struct string_table seen;
    /* What inject_gather finds: samples that repeat a stack; and programs that use
     * SIGPROF themselves, or could not be sampled, or not to their end. */
    uint64_t n_merged;
    unsigned n_gave_up;
    unsigned n_failed;
};

/* Makes the directory and the environment. Returns false, with the reason added to
 * `why`, if there is no such shared object, or no directory. */
bool inject_prepare(struct inject *inject, uint64_t period_ns, uint64_t buffer_size,
                    uint32_t flags, struct text *why);

/* Opens the files that new processes have mapped, before they may be deleted. */
void inject_look(struct inject *inject, struct process_table *table);

/* Takes what the programs have left, or have so far. Returns how many were sampled. */
unsigned inject_gather(struct inject *inject, struct recording *recording);

/* Removes the directory. Regions that were taken stay until they are unmapped. */
void inject_remove(struct inject *inject);

#endif
