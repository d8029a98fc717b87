/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing archives while something is recorded. */
#ifndef FXTRECORD_LIVE_H
#define FXTRECORD_LIVE_H

#include "common/processes/archive_stream.h"
#include "embed_queue.h"
#include "region_files.h"
#include "trace_files.h"

/* What an archive had when it was closed. */
struct live_archive {
    uint64_t n_samples;
    uint64_t n_damaged;
};

/* Where records come from. Functions return false on failure, with the reason in `why` if
 * it is not that of the file. */
struct live_source {
    /* Begins an archive, appends what there is, and ends it. */
    bool (*open)(void *context, fxt_write_fn *write, void *to, struct text *why);
    bool (*append)(void *context, struct text *why);
    bool (*close)(void *context, struct live_archive *archive, struct text *why);
    void *context;
};

struct live {
    const struct record_options *options;
    struct live_source source;
    struct trace_files files;
    /* The archives that are to get symbols, if that is asked for. */
    struct embed_queue embedding;
    bool is_open;
    /* Nothing more is recorded: the disk is full, or so is what may be written. */
    bool has_ended;
    struct text why;
    /* Of all archives that were closed. */
    struct live_archive total;
};

/* Opens the file of the first archive, which has no name yet: before a recording, which
 * may take all files that this process may have open. Then the archive is begun; the name
 * is given when the recording runs. Report failures and return false. */
bool live_prepare(struct live *live, const struct record_options *options,
                  const char *name);
bool live_begin(struct live *live, struct live_source source);
bool live_publish(struct live *live);

/* Writes what was recorded since the last time, and begins another file if this one is
 * large. Returns false if nothing more should be recorded. */
bool live_step(struct live *live);

/* Writes the rest and the end. Reports failures, with how many of `n_recorded` samples
 * were not written, and returns false. */
bool live_end(struct live *live, uint64_t n_recorded);

/* The last samples as an archive of their own, with a number or without. Reports a
 * failure and returns false. */
bool live_write_last(struct live *live, bool has_number);

/* What has the samples, for messages. */
void live_describe(const struct live *live, struct text *to);

/* Removes an archive that has not ended, and waits until symbols are embedded. */
void live_drop(struct live *live);

/* A session's samples, and a recording's. */
struct live_session {
    struct fxt_sampler *sampler;
    const struct fxt_sampler_archive *archive;
    struct fxt_sampler_summary *summary;
};
struct live_source live_session_source(struct live_session *session);

struct live_recording {
    struct recording *recording;
    struct archive_stream *stream;
    /* If they have a directory, they have the samples, and the archive has none. */
    struct region_files regions;
    fxt_write_fn *write;
    void *to;
    /* Finds the regions of the next block; none where there is nothing more. */
    void (*find_block)(void *context, struct filled_regions *block);
    void *context;
    struct filled_regions block;
};
struct live_source live_recording_source(struct live_recording *recording);

#endif
