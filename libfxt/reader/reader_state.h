/* SPDX-License-Identifier: BSD-2-Clause */
/* A reader's state, and the small steps that its files share. */
#ifndef LIBFXT_READER_READER_STATE_H
#define LIBFXT_READER_READER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/reader.h>

#include "decode.h"
#include "load.h"
#include "libfxt/memory.h"
#include "providers.h"

enum reader_state {
    /* The first word has not been seen. */
    READER_STARTING,
    READER_READING,
    /* Inside a record that is too large to read. */
    READER_SKIPPING,
    /* Among zero words in an archive. */
    READER_STEPPING,
    /* Looking for a plausible record. */
    READER_SEARCHING,
    /* After the zero header of a region. */
    READER_ENDED,
    /* The framing is lost permanently. */
    READER_LOST
};

struct read_file;

struct fxt_reader {
    struct fxt_reader_options options;
    const char *path;
    /* Of fxt_reader_open, else NULL. */
    struct read_file *file;
    uint64_t max_words;
    struct memory memory;

    enum reader_state state;
    enum fxt_stream stream;
    enum fxt_byte_order byte_order;
    bool swapped;
    /* The position in the stream of chunk->pos. */
    uint64_t offset;
    uint64_t needed;
    /* What SKIPPING, STEPPING and SEARCHING will report once its size is known. */
    struct fxt_error pending;
    uint64_t skip_left;
    /* Up to where in the stream no records have been found inside others. */
    uint64_t searched_to;
    bool tail_reported;
    /* A callback is running; a callback asked to stop. */
    bool busy;
    bool stop;
    /* Records are asked for one at a time; the one that was found. */
    bool pulls;
    const struct fxt_record *pulled;

    struct providers providers;
    struct decoder decoder;
};

static inline uint64_t reader_left(const struct fxt_chunk *chunk)
{
    return chunk->size - chunk->pos;
}

static inline const unsigned char *reader_at(const struct fxt_chunk *chunk)
{
    return (const unsigned char *)chunk->data + chunk->pos;
}

static inline uint64_t reader_load(const struct fxt_reader *r, const void *at)
{
    uint64_t word = LOAD_WORD(at);

    return r->swapped ? FXT_SWAP64(word) : word;
}

static inline void reader_advance(struct fxt_reader *r, struct fxt_chunk *chunk,
                                  uint64_t n_bytes)
{
    chunk->pos += (size_t)n_bytes;
    r->offset += n_bytes;
}

static inline struct fxt_error reader_error_at(const struct fxt_reader *r,
                                               enum fxt_code code, uint64_t header)
{
    return (struct fxt_error){
        .code = code,
        .severity = FXT_ERROR,
        .offset = r->offset,
        .header = header,
    };
}

/* Completes a report and passes it to on_error. */
static inline void reader_report(struct fxt_reader *r, struct fxt_error *error)
{
    error->provider_id = r->providers.current->shown.id;
    error->message = fxt_code_message(error->code);
    error->path = r->path;
    if (r->options.on_error != NULL &&
        r->options.on_error(r->options.context, error) != 0)
        r->stop = true;
}

/* Passes the record that was decoded to on_record, and steps over it. */
static inline void reader_hand_out(struct fxt_reader *r, struct fxt_chunk *chunk)
{
    struct fxt_record *record = &r->decoder.record;

    record->provider = &r->providers.current->shown;
    record->offset = r->offset;
    reader_advance(r, chunk, record->size);
    if (FXT_UNLIKELY(r->pulls)) {
        r->pulled = record;
        r->stop = true;
        return;
    }
    if (r->options.on_record != NULL &&
        r->options.on_record(r->options.context, record) != 0)
        r->stop = true;
}

/* The next record of the file that the reader has opened, as fxt_reader_next. */
enum fxt_code read_file_next(struct fxt_reader *reader, const struct fxt_record **record);

/* NULL is allowed. */
void read_file_close(struct read_file *file);

#endif
