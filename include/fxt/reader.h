/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes FXT: the caller passes a stream in chunks, and the reader calls back with each
 * record and each report.
 *
 *     struct fxt_reader_options options = {.size = sizeof(options)};
 *     options.on_record = print_record;
 *     options.on_error = fxt_error_print;
 *     if (fxt_reader_create(&options, &reader) != FXT_OK) ...
 *     struct fxt_chunk all = {region, region_size, 0};
 *     fxt_reader_read(reader, &all);
 *     fxt_reader_finish(reader, &all);
 *     fxt_reader_destroy(reader);
 *
 * A stream is one of two things. A *region* is the buffer that a kernel sampler fills for
 * one CPU: it has no magic number, and a header word of zero ends the data. An *archive*
 * is a trace file: zero words in it are padding, which is skipped and reported once per
 * run. Several regions are several streams; use fxt_reader_reset between them.
 *
 * Memory: fxt_reader_create allocates once; after that the reader allocates only for the
 * strings, threads and providers that the stream registers, of which a region has none.
 * All of that counts towards max_kept_bytes.
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
 * first `pos` have been read. The reader advances `pos` and keeps no bytes itself: the
 * caller must present what is left after `pos` again, followed by more of the stream.
 *
 * The memory may change while it is read (a region that a kernel still writes, memory
 * shared with another process). To decode a record the reader loads each word once and
 * checks the value that it loaded, so a change can garble records but does not harm the
 * program.
 */
struct fxt_chunk {
    const void *data;
    size_t size;
    size_t pos;
};

/*
 * Called with each record, in the order of the stream. A return value other than 0 makes
 * fxt_reader_read return FXT_STOPPED after this record. The callback must not call the
 * reader, except for fxt_reader_offset, fxt_reader_stream and fxt_reader_byte_order:
 * other calls return FXT_E_BUSY and do nothing.
 */
typedef int fxt_record_fn(void *context, const struct fxt_record *record);

/*
 * Called with each report. A report about a record that is kept comes before the record;
 * a record that is lost has one report of severity FXT_ERROR or FXT_FATAL in its place.
 * The report is valid until the callback returns. A return value other than 0 stops as in
 * fxt_record_fn, once the record that the report is about has been passed to on_record.
 */
typedef int fxt_error_fn(void *context, const struct fxt_error *error);

/*
 * An on_error for programs that have nothing better to do with reports: prints each to
 * standard error, as a line with the path if there is one, the offset of the record and
 * the message. Ignores its context and returns 0. Safe from any thread.
 */
FXT_API int fxt_error_print(void *context, const struct fxt_error *error);

enum fxt_stream {
    /* An archive if it starts with the magic number record, else a region. */
    FXT_STREAM_AUTO = 0,
    FXT_STREAM_REGION = 1,
    FXT_STREAM_ARCHIVE = 2
};

/*
 * How to read. Set `size` to sizeof(struct fxt_reader_options) and all members that you
 * do not use to zero, which is the default of each. Later versions add members at the
 * end; a library that does not know a member refuses any value but zero in it.
 */
struct fxt_reader_options {
    size_t size;

    /* Either callback may be NULL. `context` is passed to both. */
    fxt_record_fn *on_record;
    fxt_error_fn *on_error;
    void *context;

    enum fxt_stream stream;
    /* FXT_BYTE_ORDER_AUTO: that of the magic number record at the start; without one,
     * little-endian. */
    enum fxt_byte_order byte_order;

    /* The caller promises that the memory of every chunk stays in place and unchanged
     * until the reader is reset or destroyed. Strings are then not copied. */
    bool stable_input;

    /* After damage, search for the next word boundary, counted from the start of the
     * stream, where a record decodes without fault and a plausible one follows; continue
     * there, and report what was skipped. Damage is a header of size zero; a faulty
     * record whose size points to no plausible record or spans other records; a record of
     * an unknown type or with surplus words, if no sound record follows it; a record
     * larger than max_record_bytes, or cut off by the end of the input; data after the
     * end of a region. Where nothing is damaged, the option changes nothing. The time is
     * proportional to the size of the input, whatever it contains. */
    bool resync;

    /* Records larger than this many bytes are skipped and reported as FXT_E_TOO_LARGE. 0
     * means FXT_DEFAULT_MAX_RECORD_BYTES. It bounds what a caller must be ready to
     * buffer. */
    uint64_t max_record_bytes;

    /* The limit on the memory for strings, threads and providers, in bytes. What does not
     * fit is reported as FXT_E_KEPT_LIMIT (FXT_E_NO_MEMORY if there was no memory even
     * within the limit), and references to it are then unknown. 0 means
     * FXT_DEFAULT_MAX_KEPT_BYTES. */
    uint64_t max_kept_bytes;

    /* The tick rate of providers that send no initialization record, such as that of a
     * kernel sampler's regions. 0 means FXT_DEFAULT_TICKS_PER_SECOND. */
    uint64_t ticks_per_second;

    /* Allocates memory; NULL means the C library's allocator. `resize_context` is passed
     * to it. */
    fxt_resize_fn *resize;
    void *resize_context;

    /* The consumer does not read what records are mostly made of, PCs and payloads, but
     * counts or filters by what is in front of them. It changes nothing but how memory is
     * prefetched: reading is several times faster then, and somewhat slower where they
     * are read after all. */
    bool payloads_unused;
};

#define FXT_DEFAULT_MAX_RECORD_BYTES ((uint64_t)256 << 20)

/*
 * Creates a reader, at the start of a stream. Returns FXT_OK and stores it in `*reader`;
 * FXT_E_INVALID for invalid options; FXT_E_NO_MEMORY. On failure `*reader` is NULL.
 */
FXT_API enum fxt_code fxt_reader_create(const struct fxt_reader_options *options,
                                        struct fxt_reader **reader);

/*
 * Creates a reader of the file at `path`, which may be anything that can be read from its
 * start to its end, such as a pipe, for fxt_reader_next with NULL for the chunk. It must
 * not be compressed:
 *
 *     if (fxt_reader_open(NULL, "trace.fxt", &reader) != FXT_OK)
 *         return 1;
 *     while ((code = fxt_reader_next(reader, NULL, &record)) == FXT_OK && record != NULL)
 *         print(record);
 *     fxt_reader_destroy(reader);
 *
 * `options` may be NULL, for the defaults. Returns what fxt_reader_create does, and
 * FXT_E_FILE if the file cannot be opened; errno then has the reason. The reader owns the
 * descriptor, which fxt_reader_destroy and fxt_reader_reset close, and memory for the
 * largest record. `path` is named in reports, and must stay until then.
 */
FXT_API enum fxt_code fxt_reader_open(const struct fxt_reader_options *options,
                                      const char *path, struct fxt_reader **reader);

/* Frees a reader and all it keeps; NULL is allowed. Called from one of the reader's own
 * callbacks it does nothing. */
FXT_API void fxt_reader_destroy(struct fxt_reader *reader);

/*
 * Discards everything about the stream and starts another one with the same options, as a
 * new reader would. Returns FXT_OK, or FXT_E_BUSY from a callback.
 */
FXT_API enum fxt_code fxt_reader_reset(struct fxt_reader *reader);

/*
 * Reads the records from `chunk->pos` on. Returns
 *
 *     FXT_OK           the whole chunk was read, and none of it is needed again
 *     FXT_NEED_MORE    part of a record is left at `chunk->pos`; fxt_reader_needed gives
 *                      how many bytes from there on the next call must have
 *     FXT_END          the region's data has ended. What follows it in the chunk was
 *                      checked, except for an incomplete last word; it should be zero.
 *                      The caller may continue, to have the rest checked, or stop
 *     FXT_STOPPED      a callback asked to stop; call again to continue
 *     FXT_E_SIZE_ZERO  the framing is lost, `chunk->pos` is at the header, and all later
 *                      calls return the same
 *     FXT_E_INVALID    the chunk is invalid
 *     FXT_E_BUSY       called from one of the reader's own callbacks
 *
 * Other faults in the data are reported through on_error, and reading continues.
 */
FXT_API enum fxt_code fxt_reader_read(struct fxt_reader *reader, struct fxt_chunk *chunk);

/*
 * Reads one record from `chunk->pos` on, for programs that would rather ask for records
 * than be called with them: on_record is not called. Returns FXT_OK and the record, which
 * is valid until the next call with this reader or until the chunk changes; or NULL in
 * `*record` and what fxt_reader_read would have returned at that place: FXT_OK at the end
 * of the chunk, FXT_NEED_MORE, FXT_END, and FXT_STOPPED if on_error asked to stop and
 * no record came. Records that fxt_reader_finish finds after damage at the end, which
 * only a reader with `resync` looks for, are passed to on_record.
 *
 *     while (fxt_reader_next(reader, &chunk, &record) == FXT_OK && record != NULL)
 *         print(record);
 *
 * With NULL for the chunk, reads the file of fxt_reader_open. Then FXT_OK and NULL is its
 * end, which was checked as fxt_reader_finish does; FXT_NEED_MORE and FXT_END are not
 * returned, and these can be, which are reported through on_error with FXT_FATAL, too:
 * FXT_E_FILE if the file cannot be read, with the reason in errno, and FXT_E_NO_MEMORY.
 * FXT_E_INVALID if the reader has no file, as after fxt_reader_reset.
 */
FXT_API enum fxt_code fxt_reader_next(struct fxt_reader *reader, struct fxt_chunk *chunk,
                                      const struct fxt_record **record);

/*
 * Ends the stream after this chunk: what fxt_reader_read left unread in it is checked
 * (and with resync, searched). `chunk` may be NULL if nothing is left. Returns FXT_OK;
 * FXT_STOPPED if a callback asked to stop (call again to continue); FXT_E_SIZE_ZERO,
 * FXT_E_INVALID, FXT_E_BUSY. Malformed data is reported through on_error.
 */
FXT_API enum fxt_code fxt_reader_finish(struct fxt_reader *reader,
                                        struct fxt_chunk *chunk);

/* After FXT_NEED_MORE, how many bytes from `chunk->pos` on the next call must present for
 * the reader to make progress: at most max_record_bytes, and with resync a few records of
 * at most FXT_RECORD_WORDS_MAX words more. */
FXT_API uint64_t fxt_reader_needed(const struct fxt_reader *reader);

/* The position in the stream of the next byte to read: by how many bytes all calls so far
 * have advanced `pos`. */
FXT_API uint64_t fxt_reader_offset(const struct fxt_reader *reader);

/* Whether the stream is a region or an archive, and its byte order; FXT_STREAM_AUTO and
 * FXT_BYTE_ORDER_AUTO while the first word has not been seen. */
FXT_API enum fxt_stream fxt_reader_stream(const struct fxt_reader *reader);
FXT_API enum fxt_byte_order fxt_reader_byte_order(const struct fxt_reader *reader);

FXT_END_DECLS

#endif
