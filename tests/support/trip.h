/* SPDX-License-Identifier: BSD-2-Clause */
/* Round trips: records to bytes, bytes to records, and those to bytes again. */
#ifndef TESTS_SUPPORT_TRIP_H
#define TESTS_SUPPORT_TRIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/fxt.h>

#include "canon.h"

/* What a stream had in it. */
struct trip {
    /* Read on after damage. */
    bool resync;
    /* Gets the records, or is NULL. */
    struct fxt_writer *writer;
    /* What was read, or NULL; where there is a writer, only what it took. */
    struct canon *canon;
    uint64_t n_records;
    uint64_t n_strings;
    uint64_t n_threads;
    uint64_t n_refused;
    /* Reports of more than a note, but for those about providers that were not announced:
     * where their announcement was damaged, a copy has none. */
    uint64_t n_errors;
    /* Those of them about records that were lost. */
    uint64_t n_lost;
    /* The number of records that the sampler's view shows as drops. */
    uint64_t n_drops;
    /* The one that is current. */
    uint32_t provider;
};

/* Reads an archive to its end. */
void trip_read(struct trip *trip, const void *data, size_t size,
               enum fxt_byte_order order);

/* Reads an archive and writes what is in it, with these options but for the sink, to a
 * buffer that is to be freed. */
struct fxt_buffer trip_copy(struct trip *trip, const void *data, size_t size,
                            enum fxt_byte_order order,
                            const struct fxt_writer_options *options);

/* A writer to the buffer, or an abort. */
struct fxt_writer *trip_writer(const struct fxt_writer_options *options,
                               struct fxt_buffer *buffer);

#endif
