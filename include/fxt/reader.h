/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes to records: the caller pushes chunks of a stream, the reader calls back with each
 * record and each report.
 *
 *     struct fxt_reader_options options = {.size = sizeof(options)};
 *     options.on_record = print_record;
 *     options.on_error = print_error;
 *     if (fxt_reader_create(&options, &reader) != FXT_OK) ...
 *     struct fxt_chunk all = {region, region_size, 0};
 *     fxt_reader_read(reader, &all);
 *     fxt_reader_finish(reader, &all);
 *     fxt_reader_destroy(reader);
 *
 * A stream is one of two things. A *region* is the buffer that a kernel sampler fills for
 * one CPU: it has no magic number, and a header word of zero ends the data. An *archive*
 * is a trace file: zero words in it are padding, stepped over and reported once a run.
 * Several regions are several streams; use fxt_reader_reset between them.
 *
 * What the reader does with memory: it allocates once to be created; then only for the
 * strings, threads and providers that the stream registers, which a region has none of.
 * All of that counts against max_kept_bytes.
 *
 * Threads: an object must not be used from two threads at once; different objects need no
 * care. There is no global state.
 */
#ifndef FXT_READER_H
#define FXT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/common.h>
#include <fxt/record.h>

FXT_BEGIN_DECLS

struct fxt_reader;

/*
 * A piece of a stream: `size` bytes at `data`, of any size and alignment, of which the
 * first `pos` are dealt with. The reader moves `pos` and keeps no bytes of its own: what
 * lies behind `pos` when it returns is the caller's to present again, with more behind
 * it.
 *
 * The memory may change while it is read (a region that a kernel still writes, shared
 * memory of another process). The reader loads every word once for a decoding and judges
 * the value that it loaded, so a change can spoil records but not the program.
 */
struct fxt_chunk {
    const void *data;
    size_t size;
    size_t pos;
};

/*
 * Called with each record, in the order of the stream. A return value other than 0 makes
 * fxt_reader_read return FXT_STOPPED behind this record. The callback must not call the
 * reader, except for fxt_reader_offset, fxt_reader_stream and fxt_reader_byte_order:
 * other calls return FXT_E_BUSY and do nothing.
 */
typedef int fxt_record_fn(void *context, const struct fxt_record *record);

/*
 * Called with each report. One about a record that is kept comes before the record; a
 * record that is lost has one report of severity FXT_ERROR or FXT_FATAL in its place. The
 * report is valid until the callback returns. A return value other than 0 stops as in
 * fxt_record_fn, once the record that the report is about has been handed out.
 */
typedef int fxt_error_fn(void *context, const struct fxt_error *error);

enum fxt_stream {
    /* An archive if it starts with the magic number record, else a region. */
    FXT_STREAM_AUTO = 0,
    FXT_STREAM_REGION = 1,
    FXT_STREAM_ARCHIVE = 2
};

/*
 * How to read. Set `size` to sizeof(struct fxt_reader_options) and all that you do not
 * care about to zero, which is the default of everything; later versions add members at
 * the end, and a library that meets members it does not know refuses all but zero in
 * them.
 */
struct fxt_reader_options {
    size_t size;

    /* Either callback may be NULL. `context` is passed to both. */
    fxt_record_fn *on_record;
    fxt_error_fn *on_error;
    void *context;

    enum fxt_stream stream;
    /* FXT_BYTE_ORDER_AUTO: as the magic number record at the start has it; without one,
     * little-endian. */
    enum fxt_byte_order byte_order;

    /* The caller promises that the memory of every chunk stays in place and unchanged
     * until the reader is reset or destroyed. Strings are then not copied. */
    bool stable_input;

    /* After damage look for the next whole number of words from the start of the stream
     * where a record decodes without fault and a plausible one follows, go on there, and
     * report what was skipped. Damage is a header of size zero; a size that leads to no
     * plausible record, or over others, of a record that does not fill it; a record
     * beyond max_record_bytes, or cut off by the end; data after the end of a region. A
     * record of an unknown type or with surplus words is damage only if no sound record
     * follows it, or if it holds whole records that it is very unlikely to hold by
     * chance. The work is in proportion to the input, whatever it is. */
    bool resync;

    /* Records larger than this many bytes are skipped and reported as FXT_E_TOO_LARGE. 0
     * means FXT_DEFAULT_MAX_RECORD_BYTES. It bounds what a caller must be ready to hold.
     */
    uint64_t max_record_bytes;

    /* The bound on the memory for strings, threads and providers, in bytes. What does not
     * fit is reported as FXT_E_KEPT_LIMIT (FXT_E_NO_MEMORY if there was no memory even
     * within the limit), and references to it are unknown. 0 means
     * FXT_DEFAULT_MAX_KEPT_BYTES. */
    uint64_t max_kept_bytes;

    /* The rate of providers that send no initialization record, as those of a kernel
     * sampler's regions. 0 means FXT_DEFAULT_TICKS_PER_SECOND. */
    uint64_t ticks_per_second;

    /* Where memory comes from; NULL means the C library. `resize_context` is passed to
     * it. */
    fxt_resize_fn *resize;
    void *resize_context;
};

#define FXT_DEFAULT_MAX_RECORD_BYTES ((uint64_t)256 << 20)

/*
 * Makes a reader, at the start of a stream. Returns FXT_OK and stores it in `*reader`;
 * FXT_E_INVALID for impossible options; FXT_E_NO_MEMORY. On failure `*reader` is NULL.
 */
FXT_API enum fxt_code fxt_reader_create(const struct fxt_reader_options *options,
                                        struct fxt_reader **reader);

/* Frees a reader and all it keeps; NULL is allowed. From a callback of the reader itself
 * it does nothing. */
FXT_API void fxt_reader_destroy(struct fxt_reader *reader);

/*
 * Forgets everything about the stream and starts another one with the same options, as a
 * new reader would. Returns FXT_OK, or FXT_E_BUSY from a callback.
 */
FXT_API enum fxt_code fxt_reader_reset(struct fxt_reader *reader);

/*
 * Reads the records from `chunk->pos` on. Returns
 *
 *     FXT_OK           the chunk is used up, and nothing of it will be needed again
 *     FXT_NEED_MORE    part of a record is left at `chunk->pos`; fxt_reader_needed tells
 *                      how many bytes from there on the next call must have
 *     FXT_END          the region's data has ended. What was behind it in the chunk was
 *                      looked at, but for a last part of a word; it should be zero. The
 *                      caller may go on, to have the rest checked, or stop
 *     FXT_STOPPED      a callback said so; call again to go on
 *     FXT_E_SIZE_ZERO  the framing is lost, `chunk->pos` is at the header, and all later
 *                      calls return the same
 *     FXT_E_INVALID    the chunk is impossible
 *     FXT_E_BUSY       a callback called
 *
 * Other trouble with the data is reported to on_error and does not end the reading.
 */
FXT_API enum fxt_code fxt_reader_read(struct fxt_reader *reader, struct fxt_chunk *chunk);

/*
 * Says that the stream ends behind this chunk: what is left of it in front of which
 * fxt_reader_read stopped is judged (and with resync, searched). `chunk` may be NULL for
 * nothing left. Returns FXT_OK; FXT_STOPPED if a callback said so (call again to go on);
 * FXT_E_SIZE_ZERO, FXT_E_INVALID, FXT_E_BUSY. Whether the data was good, on_error heard.
 */
FXT_API enum fxt_code fxt_reader_finish(struct fxt_reader *reader,
                                        struct fxt_chunk *chunk);

/* After FXT_NEED_MORE, how many bytes from `chunk->pos` on the next call must present for
 * the reader to make progress; never more than max_record_bytes and a bit. */
FXT_API uint64_t fxt_reader_needed(const struct fxt_reader *reader);

/* The place in the stream of the next byte that the reader will look at: how many bytes
 * all calls so far have moved `pos`. */
FXT_API uint64_t fxt_reader_offset(const struct fxt_reader *reader);

/* Whether the stream is a region or an archive, and its byte order; FXT_STREAM_AUTO and
 * FXT_BYTE_ORDER_AUTO while the first word has not been seen. */
FXT_API enum fxt_stream fxt_reader_stream(const struct fxt_reader *reader);
FXT_API enum fxt_byte_order fxt_reader_byte_order(const struct fxt_reader *reader);

FXT_END_DECLS

#endif
