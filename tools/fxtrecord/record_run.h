/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording by fxtrecord, and how it ends. */
#ifndef FXTRECORD_RECORD_RUN_H
#define FXTRECORD_RECORD_RUN_H

#include <stdbool.h>

#include "command.h"
#include "live.h"
#include "program_traces.h"
#include "record_options.h"
#include "status.h"
#include "tools/fxtrecord/inject/inject.h"

struct run {
    const struct record_options *options;
    uint64_t period_ns;
    struct fxt_sampler *sampler;
    struct command command;
    struct program_traces traces;
    struct inject inject;
    /* The command's processes sample themselves: `inject` and `recording`. */
    bool is_injected;
    /* This machine lacks what was to be sampled. */
    bool is_refused;
    /* Something could be sampled, as far as is known. */
    bool is_seen;
    struct recording recording;
    /* The archives, of the session or of that recording. */
    struct live live;
    struct live_session session;
    struct fxt_sampler_archive archive;
    struct fxt_sampler_summary summary;
    struct live_recording injected;
    struct text archive_name;
    /* No more is written by the command's processes; everything recorded was written. */
    bool is_last_take;
    bool is_whole;
    struct record_result result;
    struct text command_line;
    /* See fxt_sampler_cost. */
    uint32_t cost;
    bool shows_counts;
};

/* Prints a message, unless only errors are to be printed. */
void record_note(const struct run *run, const char *message);

/* For live_recording: what the command's processes have sampled. `context` is a run. */
void record_find_injected(void *context, struct filled_regions *block);

/* End a recording by a session, and of processes that sample themselves: write what there
 * is, and find out what was missed. */
void record_end_session(struct run *run);
void record_end_injected(struct run *run);

/* Report what was recorded, and how many programs' traces were merged with it. */
void record_report(struct run *run);
void record_report_traces(const struct run *run);

/* ---- What is to be recorded, attached to a session --------------------------------- */

/* These report a failure and return false. Attaches the whole system to a session that
 * does not run yet. */
bool targets_attach_system(struct fxt_sampler *sampler);

/* Attaches everything else that the options name to a running session; `command` is the
 * process of the command, if there is one. */
bool targets_attach(struct fxt_sampler *sampler, const struct record_options *options,
                    pid_t command);

/* Whether any of the processes or threads in the options has not ended; true with the
 * whole system or a control group. */
bool targets_exist(const struct record_options *options);

#endif
