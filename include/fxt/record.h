/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One decoded record, as the reader hands it out.
 *
 * Numeric codes (types, events, states, flags) are kept as stored, in uint32_t, since a
 * newer writer may use numbers that this version has no name for. The enumerations are in
 * fxt/format.h.
 */
#ifndef FXT_RECORD_H
#define FXT_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <fxt/common.h>
#include <fxt/types.h>

FXT_BEGIN_DECLS

/*
 * The writer of a record. Each provider has its own string table, thread table and tick
 * rate; records before any provider record, and all records of a region, belong to
 * provider 0.
 *
 * The object is valid until the reader is reset or destroyed, and its address stays the
 * same; its contents change as the stream is read.
 */
struct fxt_provider {
    uint32_t id;
    /* Empty until a provider info record sets it. */
    struct fxt_string name;
    /* From the initialization record, else FXT_DEFAULT_TICKS_PER_SECOND; never 0. */
    uint64_t ticks_per_second;
    /* The wall clock at one tick, from an initialization record of four words, which
     * Jane Street's writers send: at tick `base_ticks` it was `base_wall_ns` nanoseconds
     * since the Unix epoch. */
    bool has_base;
    uint64_t base_ticks;
    uint64_t base_wall_ns;
};

struct fxt_metadata {
    /* All kinds but trace info. */
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
    /* Only the process is meaningful. Where it is inline, one writer adds a thread koid
     * and others do not; both forms are accepted. */
    struct fxt_thread process;
    struct fxt_string name;
};

struct fxt_kernel_object {
    /* enum fxt_object_type, or another of Zircon's numbers */
    uint32_t type;
    uint64_t koid;
    /* Any bytes: the format does not require UTF-8 here. */
    struct fxt_string name;
};

struct fxt_scheduling {
    uint64_t timestamp;
    uint32_t cpu;
    /* Context switches: enum fxt_thread_state. */
    uint32_t outgoing_state;
    /* Context switches. The two newer kinds of record identify threads only by their own
     * koid; the process is then 0. */
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

/* A module, a mapping or a backtrace. A mapping belongs to the module that the same
 * process announced last with the same id; a module may be announced again. */
struct fxt_profiler {
    uint64_t timestamp;
    /* Modules and mappings name the process only. */
    struct fxt_thread thread;
    uint32_t module_id;
    /* Modules. The build id is raw bytes, or (`build_id_is_hex`) the characters of its
     * hex form, as early writers stored it. */
    struct fxt_string name;
    struct fxt_bytes build_id;
    bool build_id_is_hex;
    /* Mappings: the `length` bytes of memory at address `start` map the module, from the
     * module's own address `vaddr` on. The flags are enum fxt_mapping_flag. */
    uint64_t start;
    uint64_t length;
    uint64_t vaddr;
    uint32_t flags;
    /* Backtraces: leaf first. */
    struct fxt_words pcs;
};

struct fxt_large_blob {
    /* enum fxt_large_blob_format; the timestamp, the thread and the record's arguments
     * are present only with FXT_LARGE_BLOB_METADATA. */
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
 * Payloads, words and inline strings point into the input. The decoder has not read their
 * bytes: if that memory is written to concurrently, reading them twice may give different
 * results. Sizes and numbers in this struct were read once and do not change.
 */
struct fxt_record {
    /* Where the record starts, in bytes from the start of the stream, and its size in
     * bytes. */
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
    /* This version does not know the type, the kind or the format of a large blob. Only
     * `body` then holds the record's content; for an event all other fields are set, and
     * `body` holds the words after them. */
    bool unknown;
    /* The words after the header of an unknown record; those after the arguments of an
     * unknown event. Meaningless for a record that is not unknown. */
    struct fxt_words body;

    /* Events, userspace and kernel objects, context switches and wakeups, large blobs
     * with metadata. */
    uint32_t n_args;
    const struct fxt_arg *args;

    /* The member selected by `type`. */
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
 * returns true. If that exceeds 2^64 - 1, stores 2^64 - 1 and returns false; a rate of 0
 * does the same. Safe from any thread.
 */
FXT_API bool fxt_ticks_to_ns(uint64_t ticks, uint64_t ticks_per_second, uint64_t *ns);

/* Whether two strings have the same bytes; strings that were never registered are equal
 * to none. */
static inline bool fxt_string_equals(struct fxt_string a, struct fxt_string b)
{
    return a.data != NULL && b.data != NULL && a.size == b.size &&
           memcmp(a.data, b.data, a.size) == 0;
}

/* The same with a text that ends in a zero. */
static inline bool fxt_string_is(struct fxt_string string, const char *text)
{
    return string.data != NULL && string.size == strlen(text) &&
           memcmp(string.data, text, string.size) == 0;
}

/* The record's first argument of that name, or NULL. Read the member of its value that
 * its type selects. */
static inline const struct fxt_arg *fxt_record_arg(const struct fxt_record *record,
                                                   const char *name)
{
    for (uint32_t i = 0; i < record->n_args; i++) {
        if (fxt_string_is(record->args[i].name, name))
            return &record->args[i];
    }
    return NULL;
}

/*
 * When the record was made, in ticks of its provider: events, scheduling records, logs,
 * profiler records, and large blobs with metadata. Returns false, and leaves `*ticks`
 * alone, for all others and for those that are newer than this version. Safe from any
 * thread, as the next two are.
 */
FXT_API bool fxt_record_time(const struct fxt_record *record, uint64_t *ticks);

/* When it ended: for complete durations their end, for all other records that have a time
 * that time. */
FXT_API bool fxt_record_end(const struct fxt_record *record, uint64_t *ticks);

/*
 * The thread that the record is about, with its process, or NULL if there is none: that
 * of an event, a log, a profiler record, a large blob with metadata; the incoming thread
 * of a context switch. Valid as long as the record is.
 */
FXT_API const struct fxt_thread *fxt_record_thread(const struct fxt_record *record);

/*
 * A copy of a record with all that it points to, except for `provider`, in one piece of
 * memory, for as long as you want to keep it; or NULL if there is no memory. Free it with
 * free(). The provider is the reader's, and is valid until that is reset or destroyed.
 */
FXT_API struct fxt_record *fxt_record_copy(const struct fxt_record *record);

/*
 * The same in memory of yours: `size` bytes at `room`, aligned as malloc does it. Returns
 * how many bytes the copy has, which is at `room` if they are no more than `size`; else
 * the content of `room` is undefined, and nothing is past its end. With NULL and 0 it
 * only counts. SIZE_MAX is more than there can be.
 */
FXT_API size_t fxt_record_copy_to(const struct fxt_record *record, void *room,
                                  size_t size);

FXT_END_DECLS

#endif
