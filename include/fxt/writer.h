/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records to bytes: what the reader hands out is what the writer takes.
 *
 *     struct fxt_writer_options options = {.size = sizeof(options)};
 *     struct fxt_record record = {.type = FXT_RECORD_EVENT, .kind = FXT_EVENT_INSTANT};
 *
 *     options.write = fxt_file_write;
 *     options.context = file;
 *     if (fxt_writer_create(&options, &writer) != FXT_OK) ...
 *     fxt_writer_start_archive(writer, 1000000000);
 *     record.event.timestamp = now;
 *     record.event.category = fxt_string_from("net");
 *     record.event.name = fxt_string_from("received");
 *     record.event.thread = fxt_thread_from(process, thread);
 *     fxt_writer_write(writer, &record);
 *     if (fxt_writer_finish(writer) != FXT_OK) ...
 *     fxt_writer_destroy(writer);
 *
 * To copy, filter or convert a trace, hand what the reader's callback gets to
 * fxt_writer_write, changed as you like. Which provider a record belongs to is said by
 * the provider records before it, as in any trace, not by its `provider`: who leaves some
 * out, or copies a trace where they may be damaged, writes a provider section record
 * where `provider` changes (examples/fxtcopy.c).
 *
 * Nothing is masked or cut to fit. A record that the format has no room for, or that
 * contradicts itself, is refused with a code, leaves no byte in the stream, and the
 * writer goes on. Who does not look at each call's result learns at the end that
 * something was refused: fxt_writer_finish tells of the first.
 *
 * The same records in the same order give the same bytes on every machine, apart from the
 * byte order; so a stream that is read and written again does not change any more. (What
 * is refused, and memory that is not to be had, have a say in what is registered when.)
 *
 * What the writer does with memory: it allocates once to be created, and then for the
 * strings and threads that it registers and once for each provider; for a large blob with
 * arguments the buffer may grow. Once all strings of a stream have been seen, or a bound
 * is reached, writing allocates nothing.
 *
 * Threads: an object must not be used from two threads at once; different objects need no
 * care. There is no global state.
 */
#ifndef FXT_WRITER_H
#define FXT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <fxt/common.h>
#include <fxt/record.h>

FXT_BEGIN_DECLS

struct fxt_writer;

/* ---- Where the bytes go ------------------------------------------------------------ */

/*
 * Takes the stream's next `size` bytes, of which there is at least one, and returns 0;
 * any other value says that they are lost, and the writer does not call again. The bytes
 * are valid until the function returns.
 *
 * A call brings whole records, as many as the writer had gathered; only a large blob that
 * is begun and continued, or whose payload has more than FXT_GATHERED_PAYLOAD_SIZE_MAX
 * bytes, may come in more calls than one. The function must not call the writer: such
 * calls return FXT_E_BUSY and do nothing.
 */
typedef int fxt_write_fn(void *context, const void *data, size_t size);

#define FXT_GATHERED_PAYLOAD_SIZE_MAX 32768

/* Writes to a FILE, which `context` is. What stdio holds back may still fail: look at
 * what fclose returns. */
FXT_API int fxt_file_write(void *context, const void *data, size_t size);

/*
 * Memory that a stream is written to: `size` bytes at `data`, with room for `capacity`.
 * Start it with zeros, and it grows as it needs to; or with `data`, `capacity` and
 * `fixed`, and it stays as it is: a call that brings more than fits is refused, and takes
 * nothing. For as many records as fit, let the writer's `buffer_size` be 1, so that each
 * comes by itself.
 *
 * The memory is the caller's to free: with free(), or with `resize` where that was given.
 */
struct fxt_buffer {
    unsigned char *data;
    size_t size;
    size_t capacity;
    bool fixed;
    /* As in struct fxt_writer_options; NULL means the C library. */
    fxt_resize_fn *resize;
    void *resize_context;
};

/* Writes behind the last byte of a struct fxt_buffer, which `context` is. */
FXT_API int fxt_buffer_write(void *context, const void *data, size_t size);

/* ---- How to write ------------------------------------------------------------------ */

/*
 * How records refer to strings, and to threads.
 *
 * FXT_REFERENCES_TABLE. The writer keeps a table for each provider and registers what it
 * needs just before the record that needs it. Registrations that are handed to it are
 * accepted and not written, since they are made anew where they are needed: a trace is
 * copied record by record, and refers rightly to its strings afterwards. The numbers in
 * `ref` are ignored, and what is not resolved (data NULL with an index, a thread that is
 * not known) is refused.
 *
 *     - Categories, names of events and blobs, and names of arguments are registered at
 *       first use. Names of objects and values of arguments may be different each time:
 *       they stand in line the first time and are registered when they come again.
 *       Strings of more than FXT_TABLE_STRING_SIZE_MAX bytes always stand in line. So
 *       does everything for which there is no memory.
 *     - The threads of events, logs and legacy context switches are registered at first
 *       use. Those of large blobs and profiler records stand in line, as samplers write
 *       them, and so does the process of a userspace object.
 *     - When all 32,767 strings or 255 threads are given away, an index that has not been
 *       used lately gets a new meaning, never one that the same record uses. Readers must
 *       let the newest registration win, as the format says; Fuchsia's own (until 2025 at
 *       least) keeps the oldest. For such a reader of more than 255 threads put threads
 *       in line.
 *     - Tables are per provider: provider info and section records switch between them.
 *       A provider info record also empties its provider's table, since readers do so.
 *
 * FXT_REFERENCES_IN_LINE. All stands in line; no record depends on another. Registrations
 * are accepted and not written.
 *
 * FXT_REFERENCES_AS_GIVEN. `ref` decides: an index is written as it is, the rest stands
 * in line. Registrations are written where they come. This copies a trace reference by
 * reference, with what nobody registered; for a record made by hand, its indices are the
 * caller's business. Where a registration was damaged and is not copied, what came before
 * it at the same index lives on: prefer the table.
 */
enum fxt_references {
    FXT_REFERENCES_TABLE = 0,
    FXT_REFERENCES_IN_LINE = 1,
    FXT_REFERENCES_AS_GIVEN = 2
};

#define FXT_TABLE_STRING_SIZE_MAX 1024

/*
 * Set `size` to sizeof(struct fxt_writer_options) and all that you do not care about to
 * zero, which is the default of everything but `write`; later versions add members at the
 * end, and a library that meets members it does not know refuses all but zero in them.
 */
struct fxt_writer_options {
    size_t size;

    /* Where the bytes go. */
    fxt_write_fn *write;
    void *context;

    /* FXT_BYTE_ORDER_AUTO: this machine's. */
    enum fxt_byte_order byte_order;

    enum fxt_references strings;
    enum fxt_references threads;

    /* How many bytes to gather before they are written, at least. 0 means
     * FXT_DEFAULT_BUFFER_SIZE, and 1 that each record is written by itself. The writer
     * takes some 130 KiB more than this, for the record that does not fit. */
    size_t buffer_size;

    /* The bound on the memory for tables, in bytes. 0 means FXT_DEFAULT_MAX_KEPT_BYTES. A
     * small one makes a larger stream, not a wrong one. */
    uint64_t max_kept_bytes;

    /* Where memory comes from; NULL means the C library. `resize_context` is passed to
     * it. */
    fxt_resize_fn *resize;
    void *resize_context;
};

#define FXT_DEFAULT_BUFFER_SIZE ((size_t)64 << 10)

/* ---- Writing ----------------------------------------------------------------------- */

/*
 * Makes a writer, at the start of a stream. Returns FXT_OK and stores it in `*writer`;
 * FXT_E_INVALID for impossible options; FXT_E_NO_MEMORY. On failure `*writer` is NULL.
 */
FXT_API enum fxt_code fxt_writer_create(const struct fxt_writer_options *options,
                                        struct fxt_writer **writer);

/* Frees a writer; NULL is allowed. What has not been flushed or finished is lost. From
 * the writer's own callback it does nothing. */
FXT_API void fxt_writer_destroy(struct fxt_writer *writer);

/*
 * Writes one record of any type and kind. All fields that the type and kind have count;
 * all others are ignored, and so is what only the reader knows: offset, size, data,
 * provider and build_id_is_hex.
 *
 *     - A string of zeros is the empty string, and a thread of zeros the unknown one.
 *     - An initialization record has four words if `has_base`. An instant has its last
 *       word if the scope is not FXT_SCOPE_THREAD. Modules and mappings have two koids in
 *       line, as the current dialect has it, and userspace objects one.
 *     - Of a large blob in which fxt_sample_from_record would see a stack, the payload is
 *       words: where the byte order of the stream is not that of the record (this
 *       machine's, or the other one if `swapped`), they are turned around. Bytes left
 * over past the last whole word, and all other payloads, stay as they are.
 *     - What this version does not know can be written if it is as the reader hands it
 *       out: `unknown` is set and `body` has the words, behind a known header or, for
 *       unknown records, with the bits of `header`; an argument has `value.unknown`, with
 *       `unknown_bits`. Whether those bits refer to strings or threads nobody can tell,
 * so unknown records, and arguments with any `unknown_bits`, are refused unless strings
 *       and threads are both FXT_REFERENCES_AS_GIVEN. Events of an unknown kind have no
 *       such bits, and can always be written.
 *     - What a later version of the format put behind a record's known fields is not in
 *       struct fxt_record, so it is not copied.
 *
 * Returns FXT_OK, or one of the following; but for FXT_E_SINK the record was refused.
 *
 *     FXT_E_STRING_SIZE     a string, a registered one or a log's message has more than
 *                           32000 bytes
 *     FXT_E_NAME_SIZE       the name of a provider or module, or a build id, has more
 *                           than 255 bytes
 *     FXT_E_ARGS_MANY       more than 15 arguments, or any, for a type that has none
 *     FXT_E_ARG_SIZE        an argument of a large blob has more than 4095 words
 *     FXT_E_PCS_MANY        a backtrace has more than 255 PCs
 *     FXT_E_PAYLOAD_SIZE    the payload of a blob record has more than 32767 bytes
 *     FXT_E_RECORD_SIZE     the record would have more than 4095 words, or a large blob
 *                           more than 2^32 - 1
 *     FXT_E_FIELD_RANGE     any other number is larger than its field
 *     FXT_E_END_BEFORE_BEGIN
 *                           a complete duration of which the end is before the begin
 *     FXT_E_INDEX_ZERO      a registration at index 0, which readers must ignore
 *     FXT_E_TICKS_ZERO      a clock rate of zero
 *     FXT_E_MAGIC           a magic number record with another number
 *     FXT_E_STRING_UNKNOWN  a string without data: an index that was never resolved, or
 *                           data NULL and a size
 *     FXT_E_THREAD_UNKNOWN  a thread by an index that was never resolved
 *     FXT_E_UNKNOWN_*       what this version does not know, and cannot write as above;
 *                           trace info records other than the magic number never can
 *     FXT_E_INVALID         a payload, build id, PCs or arguments at NULL
 *     FXT_E_OUT_OF_ORDER    a blob has been begun and not ended, or the stream is
 *                           finished
 *     FXT_E_NO_MEMORY       no memory for the head of a large blob with arguments
 *     FXT_E_SINK            the callback failed, now or earlier
 *     FXT_E_BUSY            called from the callback
 */
FXT_API enum fxt_code fxt_writer_write(struct fxt_writer *writer,
                                       const struct fxt_record *record);

/*
 * Writes a large blob up to its payload, of which `payload.size` says how many bytes are
 * to follow; `payload.data` is ignored. The payload then comes in any number of pieces,
 * and nothing else can be written before fxt_writer_end_blob. Payload bytes stay as they
 * are, whatever is in them.
 *
 * Returns what fxt_writer_write does, and FXT_E_INVALID if it is no large blob.
 */
FXT_API enum fxt_code fxt_writer_begin_blob(struct fxt_writer *writer,
                                            const struct fxt_record *record);

/* Adds `size` bytes to the payload. More than are left to come are FXT_E_BLOB_SIZE, and
 * none of this piece is written. FXT_E_OUT_OF_ORDER if no blob has been begun. */
FXT_API enum fxt_code fxt_writer_append(struct fxt_writer *writer, const void *data,
                                        size_t size);

/* Ends the blob. If bytes are missing, zeros are written in their place, so that the
 * stream stays readable, and FXT_E_BLOB_SIZE is returned. FXT_E_OUT_OF_ORDER if no blob
 * has been begun. */
FXT_API enum fxt_code fxt_writer_end_blob(struct fxt_writer *writer);

/* Hands all that has been gathered to the callback. Returns FXT_OK, FXT_E_SINK,
 * FXT_E_BUSY. */
FXT_API enum fxt_code fxt_writer_flush(struct fxt_writer *writer);

/*
 * Ends the stream: ends a blob that is still open, hands what is left to the callback,
 * and says how it all went. Returns
 *
 *     FXT_OK        every call since the start returned FXT_OK
 *     FXT_E_SINK    the callback failed; the stream is cut off somewhere
 *     FXT_E_BUSY    called from the callback; nothing was done
 *     FXT_E_*       the first code that any call returned: the stream is whole, but a
 *                   record is not in it (or, FXT_E_BLOB_SIZE, zeros are)
 *
 * The writer then takes no more; calling this again returns the same.
 */
FXT_API enum fxt_code fxt_writer_finish(struct fxt_writer *writer);

/* How many bytes the stream has so far, with those that have not been handed to the
 * callback yet. */
FXT_API uint64_t fxt_writer_offset(const struct fxt_writer *writer);

/* ---- Conveniences ------------------------------------------------------------------ */

/* The string at `text`, which ends in a zero byte and must stay where it is. */
static inline struct fxt_string fxt_string_from(const char *text)
{
    size_t size = strlen(text);
    struct fxt_string string = {text, 0, 0};

    /* What is too long stays too long, and is refused. */
    string.size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    return string;
}

/* Writes what an archive begins with: the magic number record and, if `ticks_per_second`
 * is not 0, an initialization record. Returns what fxt_writer_write does. */
static inline enum fxt_code fxt_writer_start_archive(struct fxt_writer *writer,
                                                     uint64_t ticks_per_second)
{
    struct fxt_record record;
    enum fxt_code code;

    memset(&record, 0, sizeof(record));
    record.type = FXT_RECORD_METADATA;
    record.kind = FXT_METADATA_TRACE_INFO;
    record.metadata.trace_info = FXT_TRACE_INFO_MAGIC_NUMBER;
    record.metadata.magic = FXT_MAGIC_NUMBER;
    code = fxt_writer_write(writer, &record);
    if (code != FXT_OK || ticks_per_second == 0)
        return code;
    memset(&record, 0, sizeof(record));
    record.type = FXT_RECORD_INITIALIZATION;
    record.initialization.ticks_per_second = ticks_per_second;
    return fxt_writer_write(writer, &record);
}

FXT_END_DECLS

#endif
