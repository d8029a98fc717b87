/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One decoded record, as the reader hands it out.
 *
 * Numbers that stand for a kind of thing (types, events, states, flags) are kept as they
 * are stored, in uint32_t, since a newer writer may use numbers that this version has no
 * name for. The enumerations are in fxt/format.h.
 */
#ifndef FXT_RECORD_H
#define FXT_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/common.h>
#include <fxt/types.h>

FXT_BEGIN_DECLS

/*
 * Who wrote a record. Each provider has its own strings, threads and clock rate; records
 * before any provider is named, and all records of a region, belong to provider 0.
 *
 * The object lives until the reader is reset or destroyed, and its address stays the
 * same; its contents change as the stream goes on.
 */
struct fxt_provider {
    uint32_t id;
    /* Empty until a provider info record has given it. */
    struct fxt_string name;
    /* What the initialization record says, else FXT_DEFAULT_TICKS_PER_SECOND; never 0. */
    uint64_t ticks_per_second;
    /* The wall clock at one tick, from an initialization record of four words, which
     * Jane Street's writers send: at tick `base_ticks` it was `base_wall_ns` nanoseconds
     * since the Unix epoch. */
    bool has_base;
    uint64_t base_ticks;
    uint64_t base_wall_ns;
};

struct fxt_metadata {
    /* Of all kinds but trace info. */
    uint32_t provider_id;
    /* Provider info: the name. */
    struct fxt_string name;
    /* Provider event: enum fxt_provider_event. */
    uint32_t event;
    /* Trace info: enum fxt_trace_info_type, and for the magic number its value. */
    uint32_t trace_info;
    uint32_t magic;
};

struct fxt_initialization {
    uint64_t ticks_per_second;
    bool has_base;
    uint64_t base_ticks;
    uint64_t base_wall_ns;
};

struct fxt_string_registration {
    uint32_t index;
    struct fxt_string value;
};

struct fxt_thread_registration {
    uint32_t index;
    uint64_t process;
    uint64_t thread;
};

struct fxt_blob {
    struct fxt_string name;
    /* enum fxt_blob_type */
    uint32_t type;
    struct fxt_bytes payload;
};

struct fxt_userspace_object {
    uint64_t pointer;
    /* Only the process counts. Where the record has it in line, one writer adds a thread
     * koid and others do not; both are understood. */
    struct fxt_thread process;
    struct fxt_string name;
};

struct fxt_kernel_object {
    /* enum fxt_object_type, or another of Zircon's numbers */
    uint32_t type;
    uint64_t koid;
    /* Any bytes: the format makes an exception from UTF-8 here. */
    struct fxt_string name;
};

struct fxt_scheduling {
    uint64_t timestamp;
    uint32_t cpu;
    /* Context switches: enum fxt_thread_state. */
    uint32_t outgoing_state;
    /* Context switches. The two newer kinds of record know threads only by their own
     * koid, and the process is then 0. */
    struct fxt_thread outgoing;
    struct fxt_thread incoming;
    /* Legacy context switches. */
    uint32_t outgoing_priority;
    uint32_t incoming_priority;
    /* Wakeups: the koid of the thread that woke. */
    uint64_t waking_thread;
};

struct fxt_log {
    uint64_t timestamp;
    struct fxt_thread thread;
    struct fxt_string message;
};

/* A module, a mapping or a backtrace. A mapping belongs to the module of the same process
 * that was announced last under the same id, and a module may be announced again. */
struct fxt_profiler {
    uint64_t timestamp;
    /* Modules and mappings name the process only. */
    struct fxt_thread thread;
    uint32_t module_id;
    /* Modules. The build id is raw bytes, or (`build_id_is_hex`) the characters of its
     * hex form, as the first writers stored it. */
    struct fxt_string name;
    struct fxt_bytes build_id;
    bool build_id_is_hex;
    /* Mappings: `length` bytes from address `start` on show the module from its own
     * address `vaddr` on. The flags are enum fxt_mapping_flag. */
    uint64_t start;
    uint64_t length;
    uint64_t vaddr;
    uint32_t flags;
    /* Backtraces: leaf first. */
    struct fxt_words pcs;
};

struct fxt_large_blob {
    /* enum fxt_large_blob_format; the timestamp and the thread are there only with
     * FXT_LARGE_BLOB_METADATA, and so are the record's arguments. */
    uint32_t format;
    uint64_t timestamp;
    struct fxt_thread thread;
    struct fxt_string category;
    struct fxt_string name;
    struct fxt_bytes payload;
};

/*
 * A record. It and all that it points to are valid until the callback that got it
 * returns. With fxt_reader_options.stable_input, what it points to (strings, payloads,
 * words) is valid as long as the input is, and until the reader is reset or destroyed;
 * the struct itself and `args` never are.
 *
 * Payloads, strings and words are pointers into the input where they stand there. Their
 * bytes were not read by the decoder, and if somebody writes to that memory meanwhile,
 * two looks may differ; sizes and numbers in this struct were read once and do not
 * change.
 */
struct fxt_record {
    /* In bytes from the start of the stream, and in bytes. */
    uint64_t offset;
    uint64_t size;
    /* The header word, in this machine's byte order. */
    uint64_t header;
    /* The record's `size` bytes, in the stream's byte order, which is not this machine's
     * if `swapped`. */
    const void *data;
    bool swapped;
    const struct fxt_provider *provider;

    /* enum fxt_record_type, or a number that this version does not know. */
    uint32_t type;
    /* The kind of record within its type: enum fxt_metadata_type, fxt_event_type,
     * fxt_scheduling_type, fxt_profiler_type or fxt_large_type, or a number that this
     * version does not know; 0 for types that have no kinds. */
    uint32_t kind;
    /* This version does not know the type, the kind or the format of a large blob: only
     * `body` holds the record's content, and for events all fields but the last words. */
    bool unknown;
    /* The words behind the header of an unknown record; those behind the arguments of an
     * unknown event. It means nothing for a record that is not unknown. */
    struct fxt_words body;

    /* Events, userspace and kernel objects, context switches and wakeups, large blobs
     * with metadata. */
    uint32_t n_args;
    const struct fxt_arg *args;

    /* The member that the type names. */
    union {
        struct fxt_metadata metadata;
        struct fxt_initialization initialization;
        struct fxt_string_registration string;
        struct fxt_thread_registration thread;
        struct fxt_event event;
        struct fxt_blob blob;
        struct fxt_userspace_object userspace_object;
        struct fxt_kernel_object kernel_object;
        struct fxt_scheduling scheduling;
        struct fxt_log log;
        struct fxt_profiler profiler;
        struct fxt_large_blob large_blob;
    };
};

/*
 * Stores floor(ticks * 10^9 / ticks_per_second) in `*ns`, exact for all values, and
 * returns true. Where that passes 2^64 - 1, stores 2^64 - 1 and returns false; a rate of
 * 0 does the same. Safe from any thread.
 */
FXT_API bool fxt_ticks_to_ns(uint64_t ticks, uint64_t ticks_per_second, uint64_t *ns);

FXT_END_DECLS

#endif
