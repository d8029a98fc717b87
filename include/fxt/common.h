/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the hosted parts of libfxt share: result codes, reports about the data, memory
 * allocation.
 */
#ifndef FXT_COMMON_H
#define FXT_COMMON_H

#include <stddef.h>
#include <stdint.h>

#include <fxt/compiler.h>
#include <fxt/version.h>

FXT_BEGIN_DECLS

/*
 * The results of functions and the subjects of reports. The numbers are pinned: a code
 * keeps its number forever, and a retired number is not reused. The families:
 *
 *     0   results that are not errors
 *    10   framing: where records begin and end
 *    20   content: one record contradicts itself
 *    30   references: to what was never registered, or could not be kept
 *    40   unknown: newer than this library
 *    50   caller and machine: invalid calls, out of memory, failed output
 *    60   writing: what the format cannot represent, or no reader could use
 */
enum fxt_code {
    FXT_OK = 0,
    /* The chunk ends inside a record: call again with the unread rest and more data after
     * it. */
    FXT_NEED_MORE = 1,
    /* The region has ended; what follows in it is not data. */
    FXT_END = 2,
    /* A callback asked to stop. The next call continues after that record. */
    FXT_STOPPED = 3,

    /* A non-zero header gives the size zero: where the next record starts is unknown. */
    FXT_E_SIZE_ZERO = 10,
    /* The input ends inside a record. */
    FXT_E_TRUNCATED = 11,
    /* A record is larger than the caller's limit. */
    FXT_E_TOO_LARGE = 12,
    /* Zero words between the records of an archive. */
    FXT_E_ZERO_WORDS = 13,
    /* Data after the zero header that ends a region. */
    FXT_E_DATA_AFTER_END = 14,
    /* A magic number record with a content other than the only valid one. */
    FXT_E_MAGIC = 15,
    /* Resync only: a record's size points to where no record can be. If the rest of its
     * header is sound, the record is kept up to its last field, and the report's offset
     * is the end of that field. */
    FXT_E_LEADS_ASTRAY = 16,

    /* The record ends before a field that its type requires. */
    FXT_E_RECORD_SHORT = 20,
    /* A string is longer than what is left of its record or argument. */
    FXT_E_STRING_OVERRUN = 21,
    /* A payload is longer than what is left of its record or argument. */
    FXT_E_BLOB_OVERRUN = 22,
    /* The record ends before all the arguments that its header announces. */
    FXT_E_ARG_COUNT = 23,
    /* An argument of size zero. */
    FXT_E_ARG_SIZE_ZERO = 24,
    /* An argument is longer than what is left of its record. */
    FXT_E_ARG_OVERRUN = 25,
    /* An argument ends before its value. */
    FXT_E_ARG_SHORT = 26,
    /* A backtrace ends before all the PCs that its header announces. */
    FXT_E_PC_COUNT = 27,
    /* An initialization record with zero ticks per second. */
    FXT_E_TICKS_ZERO = 28,
    /* The payload of a kernel sampler's stack ends inside a word; its whole words are
     * kept as PCs. */
    FXT_E_SAMPLE_SIZE = 29,

    /* A string index that was never registered; one report per record, about the
     * first. */
    FXT_E_STRING_UNKNOWN = 30,
    /* A thread index that was never registered; likewise. */
    FXT_E_THREAD_UNKNOWN = 31,
    /* A section of a provider that has no provider info record. */
    FXT_E_PROVIDER_UNKNOWN = 32,
    /* A string or thread registered at index 0, which readers must ignore. */
    FXT_E_INDEX_ZERO = 33,
    /* A string, thread or provider could not be kept: the caller's limit is reached. */
    FXT_E_KEPT_LIMIT = 34,

    FXT_E_UNKNOWN_RECORD = 40,
    FXT_E_UNKNOWN_METADATA = 41,
    FXT_E_UNKNOWN_TRACE_INFO = 42,
    FXT_E_UNKNOWN_PROVIDER_EVENT = 43,
    FXT_E_UNKNOWN_EVENT = 44,
    FXT_E_UNKNOWN_ARG = 45,
    FXT_E_UNKNOWN_SCHEDULING = 46,
    FXT_E_UNKNOWN_PROFILER = 47,
    FXT_E_UNKNOWN_LARGE = 48,
    FXT_E_UNKNOWN_BLOB_FORMAT = 49,

    /* An argument of the call is invalid; the object is unchanged. */
    FXT_E_INVALID = 50,
    /* The object was called from its own callback; the call did nothing. */
    FXT_E_BUSY = 51,
    /* Out of memory. In a report: a string, thread or provider was not kept. */
    FXT_E_NO_MEMORY = 52,
    /* The write callback failed; all later calls return this too. */
    FXT_E_SINK = 53,
    /* The call is not allowed in the current state: a blob is open, or none is, or the
     * stream is finished. */
    FXT_E_OUT_OF_ORDER = 54,
    /* The pieces of a blob do not add up to the size that it was begun with. */
    FXT_E_BLOB_SIZE = 55,
    /* A file that was named cannot be opened, read, written, or used for what it is. In a
     * report: the stream cannot be read; errno has the reason. */
    FXT_E_FILE = 56,

    /* A string is longer than FXT_STRING_SIZE_CAP. */
    FXT_E_STRING_SIZE = 60,
    /* The name of a provider or module, or a build id, is longer than 255 bytes. */
    FXT_E_NAME_SIZE = 61,
    /* More arguments than the record can have: 15, or 0 for types without arguments. */
    FXT_E_ARGS_MANY = 62,
    /* An argument is larger than 4095 words. */
    FXT_E_ARG_SIZE = 63,
    /* More than 255 PCs. */
    FXT_E_PCS_MANY = 64,
    /* A payload is too large for the field that holds its size. */
    FXT_E_PAYLOAD_SIZE = 65,
    /* A record is larger than 4095 words, or a large one than 2^32 - 1. */
    FXT_E_RECORD_SIZE = 66,
    /* A number is larger than its field. */
    FXT_E_FIELD_RANGE = 67,
    /* A complete duration ends before it begins. */
    FXT_E_END_BEFORE_BEGIN = 68
};

/* How severe a report is: how much was lost. */
enum fxt_severity {
    /* Nothing: the data is newer than this library. */
    FXT_NOTE = 1,
    /* The record was kept, and something in it lost its meaning. */
    FXT_WARNING = 2,
    /* A record, or a stretch of input, was lost; reading continues after it. */
    FXT_ERROR = 3,
    /* The framing was lost: the rest of the stream cannot be read. */
    FXT_FATAL = 4
};

/* A report about the data. Making one formats nothing and allocates nothing. */
struct fxt_error {
    enum fxt_code code;
    enum fxt_severity severity;
    /* Where the record starts, in bytes from the start of the stream. */
    uint64_t offset;
    /* The position within the record, in bytes: the first byte of what is wrong or could
     * not be read; for a bit field, such as a reference, the first byte of its word. */
    uint64_t byte;
    /* For FXT_ERROR, how many bytes from `offset` on were skipped; for FXT_E_ZERO_WORDS,
     * how long the run is; else 0. After FXT_FATAL nothing from `offset` on is read. */
    uint64_t skipped;
    /* The number at fault: an index, a type, a size or a count, depending on the code. */
    uint64_t value;
    /* The record's header word; 0 if it could not be read. */
    uint64_t header;
    /* The id of the current provider. */
    uint32_t provider_id;
    /* fxt_code_message(code). */
    const char *message;
    /* The path that fxt_read_path was called with; NULL for other streams. */
    const char *path;
};

/*
 * Allocates, resizes and frees memory for an object of libfxt, as realloc does: `old` is
 * NULL to allocate; `size` is 0 to free, and then the return value is ignored. Returns
 * NULL if there is no memory; `old` is then unchanged. Memory must be aligned as malloc's
 * is. `context` is the `resize_context` that was given with the function.
 */
typedef void *fxt_resize_fn(void *context, void *old, size_t old_size, size_t size);

/* The default limit, in bytes, on the memory that a reader or a writer holds for the
 * strings, threads and providers of a stream. */
#define FXT_DEFAULT_MAX_KEPT_BYTES ((uint64_t)256 << 20)

/* The byte order of a stream's words. With AUTO the reader detects it, and the writer
 * uses this machine's. */
enum fxt_byte_order {
    FXT_BYTE_ORDER_AUTO = 0,
    FXT_BYTE_ORDER_LITTLE = 1,
    FXT_BYTE_ORDER_BIG = 2
};

/* The byte order of this machine, for streams that were written on it. */
#define FXT_BYTE_ORDER_HOST                                                              \
    (FXT_HOST_IS_BIG_ENDIAN ? FXT_BYTE_ORDER_BIG : FXT_BYTE_ORDER_LITTLE)

/* A short, stable word for a code, such as "string_overrun"; "unknown_code" for any other
 * number. The string is static. Safe from any thread. */
FXT_API const char *fxt_code_name(enum fxt_code code);

/* A human-readable message for a code, without a full stop. The string is static. Safe
 * from any thread. */
FXT_API const char *fxt_code_message(enum fxt_code code);

/* The version of the library that the program runs with; FXT_VERSION_STRING is the
 * version of the headers that it was compiled with. */
FXT_API const char *fxt_version(void);

FXT_END_DECLS

#endif
