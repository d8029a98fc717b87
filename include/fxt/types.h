/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values inside records: strings, threads, runs of words, and arguments. The reader,
 * the writer and the emitter use the same types. Freestanding.
 *
 * None of these types owns memory. How long the memory that they point to stays valid is
 * documented at struct fxt_record.
 */
#ifndef FXT_TYPES_H
#define FXT_TYPES_H

#include <fxt/compiler.h>
#include <fxt/format.h>

FXT_BEGIN_DECLS

/*
 * A string: `size` bytes at `data`, with no terminator. FXT specifies UTF-8, but nothing
 * enforces it, and zero bytes may occur: treat the bytes as hostile wherever they are
 * displayed.
 *
 * `data` is NULL when the record refers to a string that was never registered; `ref` is
 * then its index. An empty string has a non-NULL pointer and size 0.
 */
struct fxt_string {
    const char *data;
    uint32_t size;
    /* The reference as stored in the record: 0 for the empty string, an index, or inline
     * with a size. It is 0 for strings that are stored without a reference, such as a
     * module's name. */
    uint16_t ref;
};

/* `size` bytes at `data`, of any content. */
struct fxt_bytes {
    const void *data;
    uint64_t size;
};

/*
 * `count` 64-bit words inside a record, as stored: at any address, aligned or not, in the
 * byte order of the trace. Read them with fxt_words_get.
 */
struct fxt_words {
    const void *data;
    uint64_t count;
    /* The byte order of the words is not this machine's. */
    bool swapped;
};

/* Returns word `index` in this machine's byte order; `index` must be below `count`. */
FXT_INLINE uint64_t fxt_words_get(struct fxt_words words, uint64_t index)
{
    uint64_t word;

    FXT_COPY(&word, (const unsigned char *)words.data + index * FXT_WORD_BYTES,
             sizeof(word));
    return words.swapped ? FXT_SWAP64(word) : word;
}

/*
 * A thread, named by kernel object ids (koids): unique numbers that are not reused until
 * the system reboots. Both are 0 if the writer did not know the thread.
 */
struct fxt_thread {
    uint64_t process;
    uint64_t thread;
    /* The reference as stored in the record: FXT_THREAD_REF_INLINE or an index. */
    uint8_t ref;
    /* False when the record refers to an index that was never registered; both koids are
     * then 0 and meaningless. */
    bool known;
};

/* A thread by its koids, which are written in the record itself. */
FXT_INLINE struct fxt_thread fxt_thread_from(uint64_t process, uint64_t thread)
{
    struct fxt_thread made = {process, thread, FXT_THREAD_REF_INLINE, true};

    return made;
}

/* An argument: a named, typed value attached to a record. */
struct fxt_arg {
    struct fxt_string name;
    /* enum fxt_arg_type, or a number that this version does not know. */
    uint32_t type;
    /* For an unknown type: bits 32 to 63 of the argument's header. */
    uint32_t unknown_bits;
    /* The member selected by `type`; none for FXT_ARG_NULL. */
    union {
        int32_t int32;
        uint32_t uint32;
        int64_t int64;
        uint64_t uint64;
        double float64;
        struct fxt_string string;
        uint64_t pointer;
        uint64_t koid;
        bool boolean;
        struct fxt_bytes blob;
        /* For an unknown type: the words after the header and the name. */
        struct fxt_words unknown;
    } value;
};

/* The fields of an event other than its kind and its arguments. */
struct fxt_event {
    uint64_t timestamp;
    struct fxt_thread thread;
    struct fxt_string category;
    struct fxt_string name;
    /* Counters: the counter's id. Async and flow events: the id that correlates them. */
    uint64_t id;
    /* Complete durations: the end, in ticks. */
    uint64_t end_timestamp;
    /* Instants: enum fxt_instant_scope; FXT_SCOPE_THREAD where the record has none. */
    uint64_t scope;
};

FXT_END_DECLS

#endif
