/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a command's programs trace with fxt/trace.h while they are sampled: each of them
 * to a separate file, in a directory beside the archive, which is merged into the
 * archive at the end. The directory stays if that fails, or if the recorder is killed.
 */
#ifndef FXTRECORD_PROGRAM_TRACES_H
#define FXTRECORD_PROGRAM_TRACES_H

#include "common/base/text.h"
#include "record_options.h"

struct program_traces {
    /* Empty if nothing is traced. */
    struct text directory;
    /* The files in it, as a pattern of fxt/trace.h. */
    struct text files;
    /* Names and values by turns, up to a NULL. */
    const char *environment[5];
    /* How many files are in the archive. */
    size_t n_merged;
};

/* Makes the directory and the environment of the command, where there is an archive that
 * a trace can be merged into, and the user's environment asks for no other file. Reports
 * failures and returns false. */
bool program_traces_prepare(struct program_traces *traces,
                            const struct record_options *options);

/* Merges what has been traced until now into the archive, which is complete. Reports
 * failures and returns false: then the archive is as it was, and the directory stays. */
bool program_traces_merge(struct program_traces *traces,
                          const struct record_options *options);

/* Removes the directory with all files that were merged, or that have no events. */
void program_traces_remove(struct program_traces *traces);

#endif
