/* SPDX-License-Identifier: BSD-2-Clause */
/* What a session has sampled, added to an archive block by block. */
#ifndef LIBFXTSAMPLER_ARCHIVE_BLOCKS_H
#define LIBFXTSAMPLER_ARCHIVE_BLOCKS_H

#include "common/processes/archive_stream.h"
#include "session.h"

/* An archive that is being written. */
struct session_archive {
    struct fxt_sampler *sampler;
    fxt_write_fn *write;
    void *context;
    bool no_samples;
    bool has_failed;
    struct archive_stream *stream;
    struct filled_regions block;
    /* Counts of the session, for the records that have them. */
    struct fxt_sampler_counts counts;
    /* What is copied of the caller's. */
    char *recorder;
    char *command_line;
    /* What is sampled, for the recording. */
    struct sampled_source sources[FXT_SAMPLER_SOURCES_MAX];
    /* Samples, and damaged records, that were not in an earlier archive. */
    uint64_t n_samples_before;
    uint64_t n_damaged_before;
    bool good;
};

/* Adds what was sampled since the last time, and takes it out of the regions if the
 * archive has samples. */
enum fxt_sampler_code archive_append(struct session_archive *archive);

/* Adds what is in the regions of a session that does not run, and leaves it there. */
enum fxt_sampler_code archive_append_all(struct session_archive *archive);

/* Writes what was added. */
enum fxt_sampler_code archive_write_stream(struct session_archive *archive);

#endif
