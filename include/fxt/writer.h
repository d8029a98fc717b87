/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes FXT: the writer takes the same struct fxt_record that the reader passes to its
 * callback.
 *
 *     struct fxt_record record = {.type = FXT_RECORD_EVENT, .kind = FXT_EVENT_INSTANT};
 *
 *     if (fxt_writer_open(NULL, "trace.fxt", &writer) != FXT_OK) ...
 *     fxt_writer_start_archive(writer, 1000000000);
 *     record.event.timestamp = now;
 *     record.event.category = fxt_string_from("net");
 *     record.event.name = fxt_string_from("received");
 *     record.event.thread = fxt_thread_from(process, thread);
 *     fxt_writer_write(writer, &record);
 *     if (fxt_writer_finish(writer) != FXT_OK) ...
 *     fxt_writer_destroy(writer);
 *
 * To copy, filter or convert a trace, pass what the reader's callback gets to
 * fxt_writer_write, changed as you like. Which provider a record belongs to is determined
 * by the provider records before it, as in any trace, not by its `provider`. If you leave
 * some of those out, or copy a trace in which they may be damaged, write a provider
 * section record wherever `provider` changes (examples/fxtcopy.c).
 *
 * Nothing is masked or truncated to fit. A record that the format cannot represent, or
 * that contradicts itself, is refused with a code and adds nothing to the stream; later
 * records can still be written. A caller need not check each call: fxt_writer_finish
 * returns the first such code.
 *
 * The same records in the same order give the same bytes on every machine, apart from the
 * byte order; so reading and rewriting a stream that the writer wrote gives the same
 * stream. (Refused records, and failures to allocate memory, influence what is registered
 * when.)
 *
 * Memory: fxt_writer_create allocates once; after that the writer allocates for the
 * strings and threads that it registers and once for each provider; for a large blob with
 * arguments the buffer may grow. Once all strings of a stream have been seen, or the
 * limit is reached, writing allocates nothing.
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

#include <fxt/arg.h>
#include <fxt/common.h>
#include <fxt/record.h>

FXT_BEGIN_DECLS

struct fxt_writer;

/* ---- Where the bytes go ------------------------------------------------------------ */

/*
 * Receives the next `size` bytes of the stream, at least one, and returns 0; any other
 * value means that they are lost, and the writer does not call it again. The bytes are
 * valid until the function returns.
 *
 * Each call passes whole records, as many as the writer has buffered; only a large blob
 * that is written in pieces (fxt_writer_begin_blob), or whose payload has more than
 * FXT_GATHERED_PAYLOAD_SIZE_MAX bytes, may be split over several calls. The function must
 * not call the writer: such calls return FXT_E_BUSY and do nothing.
 */
typedef int fxt_write_fn(void *context, const void *data, size_t size);

#define FXT_GATHERED_PAYLOAD_SIZE_MAX 32768

/* Writes to the FILE that `context` points to. Bytes that stdio has buffered may still
 * fail to be written: check the result of fclose. */
FXT_API int fxt_file_write(void *context, const void *data, size_t size);

/*
 * Memory that a stream is written to: `size` bytes at `data`, with room for `capacity`.
 * Initialize it with zeros, and it grows as needed; or set `data`, `capacity` and
 * `fixed`, and it does not grow: a write of more than fits fails, and stores nothing. To
 * store as many records as fit, set the writer's `buffer_size` to 1, so that each record
 * is written separately.
 *
 * The memory is the caller's to free: with free(), or with `resize` where that was given.
 */
struct fxt_buffer {
    unsigned char *data;
    size_t size;
    size_t capacity;
    bool fixed;
    /* As in struct fxt_writer_options; NULL means the C library's allocator. */
    fxt_resize_fn *resize;
    void *resize_context;
};

/* Appends to the struct fxt_buffer that `context` points to. */
FXT_API int fxt_buffer_write(void *context, const void *data, size_t size);

/* ---- How to write ------------------------------------------------------------------ */

/*
 * How records refer to strings, and to threads.
 *
 * FXT_REFERENCES_TABLE. The writer keeps a string table and a thread table for each
 * provider, and registers each entry just before the first record that refers to it.
 * Registrations that are passed to it are accepted and not written, since the writer
 * makes its own where they are needed: a trace can be copied record by record, and its
 * references stay correct. The numbers in `ref` are ignored, and unresolved references
 * (data NULL with an index, a thread that is not known) are refused.
 *
 *     - Categories, names of events and blobs, and names of arguments are registered at
 *       first use. Names of objects and values of arguments may be different each time:
 *       they are inline the first time and are registered when they occur again. Strings
 *       of more than FXT_TABLE_STRING_SIZE_MAX bytes are always inline, and so is
 *       everything for which there is no memory.
 *     - The threads of events, logs and legacy context switches are registered at first
 *       use. Those of large blobs and profiler records are inline, as samplers write
 *       them, and so is the process of a userspace object.
 *     - When all 32,767 string or 255 thread indices are in use, an entry that has not
 *       been used recently is evicted and its index reused (by the CLOCK algorithm),
 *       never one that the same record uses. Readers must use the newest registration, as
 *       the format specifies; Fuchsia's own reader (until 2025 at least) keeps the
 *       oldest. For such a reader write threads inline if there are more than 255.
 *     - Tables are per provider: provider info and section records switch between them.
 *       A provider info record also empties its provider's table, since readers do so.
 *
 * FXT_REFERENCES_IN_LINE. Everything is inline; no record depends on another.
 * Registrations are accepted and not written.
 *
 * FXT_REFERENCES_AS_GIVEN. `ref` decides: an index is written unchanged, everything else
 * is inline. Registrations are written where they occur. This copies a trace reference by
 * reference, including unresolved ones; for a record made by hand, the caller is
 * responsible for its indices. Where a registration was damaged and is not copied, the
 * previous one at the same index stays in effect: prefer FXT_REFERENCES_TABLE.
 */
enum fxt_references {
    FXT_REFERENCES_TABLE = 0,
    FXT_REFERENCES_IN_LINE = 1,
    FXT_REFERENCES_AS_GIVEN = 2
};

#define FXT_TABLE_STRING_SIZE_MAX 1024

/*
 * Set `size` to sizeof(struct fxt_writer_options) and all members that you do not use to
 * zero, which is the default of each but `write`. Later versions add members at the end;
 * a library that does not know a member refuses any value but zero in it.
 */
struct fxt_writer_options {
    size_t size;

    /* Receives the bytes of the stream; NULL for fxt_writer_open. */
    fxt_write_fn *write;
    void *context;

    /* FXT_BYTE_ORDER_AUTO: this machine's. */
    enum fxt_byte_order byte_order;

    enum fxt_references strings;
    enum fxt_references threads;

    /* How many bytes to buffer before they are written, at least. 0 means
     * FXT_DEFAULT_BUFFER_SIZE, and 1 that each record is written separately. The writer
     * allocates about 130 KiB more than this, for the record that does not fit. */
    size_t buffer_size;

    /* The limit on the memory for tables, in bytes. 0 means FXT_DEFAULT_MAX_KEPT_BYTES. A
     * small limit makes the stream larger, but not incorrect. */
    uint64_t max_kept_bytes;

    /* Allocates memory; NULL means the C library's allocator. `resize_context` is passed
     * to it. */
    fxt_resize_fn *resize;
    void *resize_context;

    /* For readers that keep one string table and one thread table for the whole stream,
     * as Tracy's importer does: with FXT_REFERENCES_TABLE, no index means one thing to
     * one provider and something else to another. The stream is as right for all other
     * readers; it is larger where providers use the same strings. */
    bool one_table;

    /* Write records that refer to a string or thread that was never registered, which
     * are refused otherwise: with the text "#5" for index 5, and as the unknown thread.
     * Needs FXT_REFERENCES_TABLE for strings. */
    bool name_unresolved;
};

#define FXT_DEFAULT_BUFFER_SIZE ((size_t)64 << 10)

/* ---- Writing ----------------------------------------------------------------------- */

/*
 * Creates a writer, at the start of a stream. Returns FXT_OK and stores it in `*writer`;
 * FXT_E_INVALID for invalid options; FXT_E_NO_MEMORY. On failure `*writer` is NULL.
 */
FXT_API enum fxt_code fxt_writer_create(const struct fxt_writer_options *options,
                                        struct fxt_writer **writer);

/*
 * Creates a writer to the file at `path`, which is created, or emptied if it is there;
 * pipes and devices can be written as well. `options` may be NULL, for the defaults;
 * their `write` and `context` must be NULL. Returns what fxt_writer_create does, and
 * FXT_E_FILE if the file cannot be opened; errno then has the reason.
 *
 * The writer owns the descriptor: fxt_writer_finish closes it, and reports all that went
 * wrong until then, a full disk or what only close() finds, as FXT_E_SINK with the reason
 * in errno. The file then ends anywhere, even within a record; it is not removed.
 */
FXT_API enum fxt_code fxt_writer_open(const struct fxt_writer_options *options,
                                      const char *path, struct fxt_writer **writer);

/* Frees a writer; NULL is allowed. What has not been flushed or finished is lost, and the
 * file of fxt_writer_open is closed. Called from the writer's own callback it does
 * nothing. */
FXT_API void fxt_writer_destroy(struct fxt_writer *writer);

/*
 * Writes one record of any type and kind. All fields of that type and kind are used; all
 * others are ignored, and so is what only the reader sets: offset, size, data, provider
 * and build_id_is_hex.
 *
 *     - A zero-initialized string is the empty string, and a zero-initialized thread the
 *       unknown one.
 *     - An initialization record has four words if `has_base`. An instant has its last
 *       word if the scope is not FXT_SCOPE_THREAD. Modules and mappings have two inline
 *       koids, as in the current dialect, and userspace objects one.
 *     - The payload of a large blob that fxt_sample_from_record recognises as a stack is
 *       words: they are byte-swapped if the byte order of the stream is not that of the
 *       record (this machine's, or the other one if `swapped`). Bytes left over past the
 *       last whole word, and all other payloads, are written unchanged.
 *     - What this version does not know can be written if it is in the form that the
 *       reader gives it: `unknown` is set and `body` has the words, after a known header
 *       or, for unknown records, with the bits of `header`; an argument has
 *       `value.unknown`, with `unknown_bits`. Since those bits may refer to strings or
 *       threads, unknown records, and arguments with any `unknown_bits`, are refused
 *       unless strings and threads are both FXT_REFERENCES_AS_GIVEN. Events of an unknown
 *       kind have no such bits, and can always be written.
 *     - What a later version of the format puts after a record's known fields is not in
 *       struct fxt_record, so it is not copied.
 *
 * Returns FXT_OK, or one of the following; with all but FXT_E_SINK the record was
 * refused.
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
 *                           a complete duration whose end is before its begin
 *     FXT_E_INDEX_ZERO      a registration at index 0, which readers must ignore
 *     FXT_E_TICKS_ZERO      a clock rate of zero
 *     FXT_E_MAGIC           a magic number record with another number
 *     FXT_E_STRING_UNKNOWN  a string without data: an index that was never resolved, or
 *                           data NULL and a size
 *     FXT_E_THREAD_UNKNOWN  a thread by an index that was never resolved
 *     FXT_E_UNKNOWN_*       what this version does not know, not in the form above;
 *                           trace info records other than the magic number always
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
 * Writes a large blob up to its payload. `payload.size` is how many bytes of payload will
 * follow; `payload.data` is ignored. Then append the payload in any number of pieces;
 * nothing else can be written before fxt_writer_end_blob. Payload bytes are written
 * unchanged, whatever they are.
 *
 * Returns what fxt_writer_write does, and FXT_E_INVALID if it is no large blob.
 */
FXT_API enum fxt_code fxt_writer_begin_blob(struct fxt_writer *writer,
                                            const struct fxt_record *record);

/* Appends `size` bytes to the payload. Returns FXT_E_BLOB_SIZE, and writes nothing of
 * this piece, if more than the announced size would be written; FXT_E_OUT_OF_ORDER if no
 * blob has been begun. */
FXT_API enum fxt_code fxt_writer_append(struct fxt_writer *writer, const void *data,
                                        size_t size);

/* Ends the blob. If bytes are missing, zeros are written in their place, so that the
 * stream stays readable, and FXT_E_BLOB_SIZE is returned. FXT_E_OUT_OF_ORDER if no blob
 * has been begun. */
FXT_API enum fxt_code fxt_writer_end_blob(struct fxt_writer *writer);

/*
 * Writes packed records: `size` bytes at `data`, at any alignment and in this machine's
 * byte order, as an emitter leaves them in a region, or as fxt_ring_read drains them from
 * a ring. They must be whole records. The strings and threads that they register are
 * known to all that later calls with the same `source` pass, and to no other source: give
 * each ring and each region a different number, such as its CPU's. Each source takes the
 * memory of a reader, up to `max_kept_bytes` for its tables.
 *
 *     n = fxt_ring_read(&rings[cpu], buffer, sizeof(buffer));
 *     fxt_writer_write_packed(writer, cpu, buffer, n);
 *
 * Each record is written as fxt_writer_write does it, with the writer's own references,
 * which are registered again wherever that is needed: packed records and others can
 * alternate. With FXT_REFERENCES_AS_GIVEN, indices are copied: there must then be one
 * source only, and no other record with indices.
 *
 * If a ring was full when a string was to be registered, no record says what its index
 * means, and each that refers to it is written as if `name_unresolved` were set. To
 * prevent this, let fxt_emit_name (fxt/emit_records.h) repeat it until there is room; or
 * pack the registrations to a separate region, and pass that first, once for each source.
 *
 * Returns FXT_OK, what fxt_writer_write does for the first record that was refused, or
 * the code of the first fault in the data, for which all is passed over that cannot be
 * read: among others FXT_E_TRUNCATED if the last record is not whole,
 * FXT_E_STRING_UNKNOWN or FXT_E_THREAD_UNKNOWN if a record refers to what was never
 * registered. FXT_E_INVALID if `data` is NULL or a record switches the provider, which
 * only an archive's may; FXT_E_NO_MEMORY.
 */
FXT_API enum fxt_code fxt_writer_write_packed(struct fxt_writer *writer, uint32_t source,
                                              const void *data, size_t size);

/* Passes all buffered bytes to the callback. Returns FXT_OK, FXT_E_SINK, FXT_E_BUSY. */
FXT_API enum fxt_code fxt_writer_flush(struct fxt_writer *writer);

/*
 * Ends the stream: ends a blob that is still open, passes the buffered bytes to the
 * callback, and reports the first error of all calls. Returns
 *
 *     FXT_OK        every call since the start returned FXT_OK
 *     FXT_E_SINK    the callback failed; the stream is truncated
 *     FXT_E_BUSY    called from the callback; nothing was done
 *     FXT_E_*       the first code that any call returned: the stream is whole, but a
 *                   record is not in it (or, FXT_E_BLOB_SIZE, zeros are)
 *
 * Closes the file of fxt_writer_open. The writer then accepts no more records; calling
 * this again returns the same.
 */
FXT_API enum fxt_code fxt_writer_finish(struct fxt_writer *writer);

/* How many bytes the stream has so far, including those still buffered. */
FXT_API uint64_t fxt_writer_offset(const struct fxt_writer *writer);

/* ---- Conveniences ------------------------------------------------------------------ */

/* The zero-terminated string at `text`, which is not copied and must stay valid. */
static inline struct fxt_string fxt_string_from(const char *text)
{
    size_t size = strlen(text);
    struct fxt_string string = {text, 0, 0};

    /* A size that is too large stays too large, and is refused. */
    string.size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    return string;
}

/* An argument that is a double; fxt/arg.h, which kernels include, has those that need no
 * floating point. */
static inline struct fxt_arg fxt_arg_double(struct fxt_string name, double value)
{
    struct fxt_arg arg = fxt_arg_null(name);

    arg.type = FXT_ARG_DOUBLE;
    arg.value.float64 = value;
    return arg;
}

/* Writes the start of an archive: the magic number record and, if `ticks_per_second` is
 * not 0, an initialization record. Returns what fxt_writer_write does. */
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
