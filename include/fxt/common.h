/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the hosted parts of libfxt share: result codes, reports about the data, memory.
 */
#ifndef FXT_COMMON_H
#define FXT_COMMON_H

#include <stddef.h>
#include <stdint.h>

#include <fxt/compiler.h>
#include <fxt/version.h>

FXT_BEGIN_DECLS

/*
 * What a function returns, and what a report is about. The numbers are pinned: a code
 * keeps its number for ever and a retired number is not used again. The families:
 *
 *     0   results that are not errors
 *    10   framing: where records begin and end
 *    20   content: one record contradicts itself
 *    30   references: something named was never there, or could not be kept
 *    40   unknown: newer than this library
 *    50   caller and machine
 *    60   writing: what the format has no room for, or no reader a use for
 */
enum fxt_code {
    FXT_OK = 0,
    /* The chunk ends inside a record: call again with the rest and more behind it. */
    FXT_NEED_MORE = 1,
    /* The region has ended; what follows in it is not data. */
    FXT_END = 2,
    /* A callback asked to stop. The next call goes on behind that record. */
    FXT_STOPPED = 3,

    /* A header that is not zero gives the size zero: nothing says where the next is. */
    FXT_E_SIZE_ZERO = 10,
    /* The input ends inside a record. */
    FXT_E_TRUNCATED = 11,
    /* A record is larger than the caller's limit. */
    FXT_E_TOO_LARGE = 12,
    /* Zero words between the records of an archive. */
    FXT_E_ZERO_WORDS = 13,
    /* Data behind the zero header that ends a region. */
    FXT_E_DATA_AFTER_END = 14,
    /* The one record that may have but one content has another. */
    FXT_E_MAGIC = 15,
    /* Resync only: a record's size leads to where no record can be, or over others. If
     * the rest of its header is sound the record was kept up to its last field, and the
     * report's offset is where that ends. */
    FXT_E_LEADS_ASTRAY = 16,

    /* The record ends before a field that its type must have. */
    FXT_E_RECORD_SHORT = 20,
    /* A string is longer than what is left of its record or argument. */
    FXT_E_STRING_OVERRUN = 21,
    /* A payload is longer than what is left of its record or argument. */
    FXT_E_BLOB_OVERRUN = 22,
    /* The record ends before the number of arguments that it announces. */
    FXT_E_ARG_COUNT = 23,
    /* An argument of size zero. */
    FXT_E_ARG_SIZE_ZERO = 24,
    /* An argument is longer than what is left of its record. */
    FXT_E_ARG_OVERRUN = 25,
    /* An argument ends before its value. */
    FXT_E_ARG_SHORT = 26,
    /* A backtrace ends before the number of PCs that it announces. */
    FXT_E_PC_COUNT = 27,
    /* An initialization record with zero ticks a second. */
    FXT_E_TICKS_ZERO = 28,
    /* The payload of a kernel sampler's stack ends inside a word; its whole words are
     * kept as PCs. */
    FXT_E_SAMPLE_SIZE = 29,

    /* A string index that was never registered; one report a record, about the first. */
    FXT_E_STRING_UNKNOWN = 30,
    /* A thread index that was never registered; likewise. */
    FXT_E_THREAD_UNKNOWN = 31,
    /* A section of a provider that no record introduced. */
    FXT_E_PROVIDER_UNKNOWN = 32,
    /* A string or thread registered at index 0, which the format says to ignore. */
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

    /* An argument of the call is impossible; the object is as it was before. */
    FXT_E_INVALID = 50,
    /* The object was called from its own callback; the call did nothing. */
    FXT_E_BUSY = 51,
    /* Memory was not to be had. In a report: a string, thread or provider was not kept.
     */
    FXT_E_NO_MEMORY = 52,
    /* Where the bytes were to go, they could not go; all later calls return this too. */
    FXT_E_SINK = 53,
    /* The call does not fit what was called before: a blob has been begun, or none has,
     * or the stream is finished. */
    FXT_E_OUT_OF_ORDER = 54,
    /* The pieces of a blob do not add up to the size that it was begun with. */
    FXT_E_BLOB_SIZE = 55,
    /* A file that was named cannot be opened, read, written, or used for what it is. */
    FXT_E_FILE = 56,

    /* A string is longer than FXT_STRING_SIZE_CAP. */
    FXT_E_STRING_SIZE = 60,
    /* The name of a provider or module, or a build id, is longer than 255 bytes. */
    FXT_E_NAME_SIZE = 61,
    /* More arguments than the record can have: 15, or none at all. */
    FXT_E_ARGS_MANY = 62,
    /* An argument is larger than 4095 words. */
    FXT_E_ARG_SIZE = 63,
    /* More than 255 PCs. */
    FXT_E_PCS_MANY = 64,
    /* A payload is larger than the field for its size can say. */
    FXT_E_PAYLOAD_SIZE = 65,
    /* A record is larger than 4095 words, or a large one than 2^32 - 1. */
    FXT_E_RECORD_SIZE = 66,
    /* A number is larger than its field. */
    FXT_E_FIELD_RANGE = 67,
    /* A complete duration ends before it begins. */
    FXT_E_END_BEFORE_BEGIN = 68
};

/* How much was lost. */
enum fxt_severity {
    /* Nothing: the data is newer than this library. */
    FXT_NOTE = 1,
    /* The record was kept, and something in it lost its meaning. */
    FXT_WARNING = 2,
    /* A record, or a stretch of input, was lost; reading goes on behind it. */
    FXT_ERROR = 3,
    /* The framing was lost: this stream cannot be read on. */
    FXT_FATAL = 4
};

/* A report about the data. Nothing is formatted and nothing is allocated to make one. */
struct fxt_error {
    enum fxt_code code;
    enum fxt_severity severity;
    /* Where the record starts, in bytes from the start of the stream. */
    uint64_t offset;
    /* Where in the record the trouble is: the first byte of what is wrong or could not be
     * read; of a bit field, such as a reference, the first byte of its word. */
    uint64_t byte;
    /* For FXT_ERROR, how many bytes from `offset` on were skipped; for FXT_E_ZERO_WORDS,
     * how long the run is; else 0. After FXT_FATAL nothing from `offset` on is read. */
    uint64_t skipped;
    /* The number at fault: an index, a type, a size or a count, as the code has it. */
    uint64_t value;
    /* The record's header word; 0 where not even that could be read. */
    uint64_t header;
    /* The provider that was current. */
    uint32_t provider_id;
    /* fxt_code_message(code). */
    const char *message;
};

/*
 * Memory for an object of libfxt, in the manner of realloc: `old` is NULL to allocate and
 * `size` is 0 to free, when the return value is ignored. Returns NULL where there is no
 * memory, and then `old` is as it was. Memory must be aligned as malloc's is. `context`
 * is the caller's own.
 */
typedef void *fxt_resize_fn(void *context, void *old, size_t old_size, size_t size);

/* How much memory a reader or a writer may hold for what a stream registers, unless its
 * options say otherwise. */
#define FXT_DEFAULT_MAX_KEPT_BYTES ((uint64_t)256 << 20)

/* The byte order of a stream's words. AUTO is for the reader to find out, and for the
 * writer this machine's. */
enum fxt_byte_order {
    FXT_BYTE_ORDER_AUTO = 0,
    FXT_BYTE_ORDER_LITTLE = 1,
    FXT_BYTE_ORDER_BIG = 2
};

/* The byte order of this machine, for what was written on it. */
#define FXT_BYTE_ORDER_HOST                                                              \
    (FXT_HOST_IS_BIG_ENDIAN ? FXT_BYTE_ORDER_BIG : FXT_BYTE_ORDER_LITTLE)

/* A short, stable word for a code, such as "string_overrun"; "unknown_code" for a number
 * that is none. The string is static. Safe from any thread. */
FXT_API const char *fxt_code_name(enum fxt_code code);

/* A sentence for people, without a full stop. The string is static. Safe from any
 * thread. */
FXT_API const char *fxt_code_message(enum fxt_code code);

/* The version of the library that the program runs with, as FXT_VERSION_STRING is that of
 * the headers it was built with. */
FXT_API const char *fxt_version(void);

FXT_END_DECLS

#endif
