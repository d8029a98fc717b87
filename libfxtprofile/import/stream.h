/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One stream's records and reports, as they come from a reader: records are collected,
 * and reports go to the client, with offsets that count from the start of the input.
 */
#ifndef FXTPROFILE_IMPORT_STREAM_H
#define FXTPROFILE_IMPORT_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/reader.h>

#include "collect.h"
#include "settings.h"

struct stream {
    const struct import_settings *settings;
    struct collect *collect;
    /* The input's name, and where in it the stream begins. */
    const char *name;
    uint64_t offset;
    /* So many of its records have been collected before. */
    uint64_t n_skip;
    /* How many reports there were of something that was lost, in all streams. */
    uint64_t n_errors;

    /* Where in the stream data stands past the zero word that ends it. */
    bool has_tail;
    uint64_t tail_offset;
    /* A warning about the record to come. */
    bool has_held;
    struct fxt_error held;
};

/* The members up to `n_errors` have been filled in. `cpu` is the CPU of all its samples,
 * or PROFILE_NO_CPU. */
void stream_start(struct stream *stream, uint32_t cpu, bool is_archive);

/* A reader's callbacks, whose context is the stream. They return 0. */
int stream_take_record(void *context, const struct fxt_record *record);
int stream_take_error(void *context, const struct fxt_error *error);

/* The stream had so many bytes, of which the last `n_lost` were lost with the framing.
 * The provider of its last record must still be there. */
void stream_end(struct stream *stream, uint64_t n_bytes, uint64_t n_lost);

#endif
