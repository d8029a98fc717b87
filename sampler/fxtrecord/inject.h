/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampling a command by signals: a shared object that is loaded into it (see preload.c)
 * samples it from inside, and leaves what it has in a directory, one for each program
 * that the command runs. Here is the recorder's side of that.
 *
 * In the directory of a process, whose name begins with its id and a dot, are
 *
 *     cpu0.bin ...   regions, as libfxtsampler leaves them
 *     maps           its /proc/self/maps, from when it began, and again when it ended
 *     names          a line for each thread that was seen: id, space, name
 *     drops          when it has ended: a line for each CPU that lacks samples, with the
 *                    CPU, records, bytes, first and last time, and signals without sample
 */
#ifndef FXTRECORD_INJECT_H
#define FXTRECORD_INJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "archive.h"
#include "string_set.h"

/* What the shared object finds in its environment. */
#define INJECT_DIRECTORY "FXTRECORD_DIRECTORY"
#define INJECT_PERIOD "FXTRECORD_PERIOD"
#define INJECT_BUFFER_SIZE "FXTRECORD_BUFFER_SIZE"
#define INJECT_FLAGS "FXTRECORD_FLAGS"

struct inject {
    char directory[64];
    struct text preload;
    char period[24];
    char buffer_size[24];
    char flags[12];
    /* Names and values by turns, up to a NULL. */
    const char *environment[11];
    /* The directories of processes whose files were opened. */
    struct strings seen;
};

/* Makes the directory and the environment. Returns false, with the reason added to
 * `why`, if there is no such shared object, or no directory. */
bool inject_prepare(struct inject *inject, uint64_t period_ns, uint64_t buffer_size,
                    uint32_t flags, struct text *why);

/* Opens the files that new processes have mapped, before they may be deleted. */
void inject_look(struct inject *inject, struct book *book);

/* Takes what the processes have left, or have so far. Returns how many there were. */
unsigned inject_gather(const struct inject *inject, struct recording *recording);

/* Removes the directory. Regions that were taken stay until they are unmapped. */
void inject_remove(struct inject *inject);

#endif
