/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An archive that is written while it is recorded, block by block. Each record comes
 * after those that it needs: an archive that ends early lacks its end, and nothing else.
 *
 * What a block becomes is kept in memory until archive_stream_write, since a file may be
 * slow, and others must not wait for it. It is given to the file in pieces that end where
 * a record does.
 */
#ifndef PROCESSES_ARCHIVE_STREAM_H
#define PROCESSES_ARCHIVE_STREAM_H

#include "filled_regions.h"
#include "recording.h"

struct archive_stream;

/* Begins an archive of a recording, with samples or without. Frees nothing of the
 * recording, of which there can be one archive at a time. */
struct archive_stream *archive_stream_begin(struct recording *recording,
                                            bool has_samples);

/* Adds what the regions of a block have, which recording_add_block has taken, and all
 * that is needed to understand it. */
void archive_stream_add(struct archive_stream *stream,
                        const struct filled_regions *block);

/* Adds the names that JIT compilers have given since the last time, and the counts of the
 * recording: the last thing that an archive has. */
void archive_stream_end(struct archive_stream *stream);

/* Writes what was added. Returns false if `write` has failed, now or before; then what
 * was not written is discarded, and only archive_stream_end can still be written. */
bool archive_stream_write(struct archive_stream *stream, fxt_write_fn *write,
                          void *context);

/* How many samples were written. */
uint64_t archive_stream_samples(const struct archive_stream *stream);

/* Whether some record could not be written in this format. */
enum fxt_code archive_stream_code(const struct archive_stream *stream);

void archive_stream_free(struct archive_stream *stream);

#endif
