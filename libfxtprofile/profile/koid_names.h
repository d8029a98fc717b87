/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of processes and threads, and the process of each thread, as kernel object
 * records have them.
 *
 * A process and a thread are different objects even if their koids are equal: on Linux a
 * process and its main thread have one id.
 *
 * An object may have several names, each from some time on until the next one. Kernel
 * object records have no timestamps, so a name counts from the last sample before it in
 * its stream on. The first name in a stream counts from the stream's start on: mostly it
 * has been the name all along, and many writers put names after the samples. A writer
 * that has the time adds it as an argument `since`.
 */
#ifndef FXTPROFILE_PROFILE_KOID_NAMES_H
#define FXTPROFILE_PROFILE_KOID_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "common/base/string_table.h"
#include "common/base/table.h"
#include "mappings/boots.h"

enum koid_names_kind { KOID_PROCESS, KOID_THREAD };

/* An object and one of its names: 0 is the last one, and others are what
 * koid_names_name_at returns. */
struct koid_names_id {
    enum koid_names_kind kind;
    uint64_t koid;
    uint32_t name;
};

/* Since when a name counts. */
enum koid_names_since {
    /* Since the start of the stream. */
    NAME_SINCE_START,
    /* Since some time, which is included. */
    NAME_SINCE_TIME,
    /* Since after the last sample of some time; for samples of that very time, the order
     * of the stream decides. */
    NAME_SINCE_AFTER
};

struct koid_names_moment {
    enum koid_names_since since;
    uint64_t time_ns;
};

struct koid_names_name {
    uint32_t entry;
    /* Its number in `strings`. */
    uint32_t name;
    /* In which stream it was given, and how many the object was given there before. */
    uint32_t stream;
    uint32_t n_before;
    /* Its place among all names in the order of the input. */
    uint32_t sequence;
    /* After koid_names_finish: the place among the object's names at which it is first,
     * so that samples which show the same name are equal. */
    uint32_t first;
    struct koid_names_moment moment;
};

struct koid_names_entry {
    uint64_t koid;
    enum koid_names_kind kind;
    /* Of a thread: its process; 0 if it is not known. */
    uint64_t process;
    /* The last name given; UINT32_MAX if there is none. After koid_names_finish, its
     * names in the order of time: the first one's place in `given`, and how many they
     * are. */
    uint32_t last;
    uint32_t first;
    uint32_t n_names;
};

/* All zero is an empty one. */
struct koid_names {
    struct koid_names_entry *entries;
    size_t n;
    size_t capacity;
    struct table table;
    struct string_table strings;
    struct koid_names_name *given;
    size_t n_given;
    size_t given_capacity;
    /* The number of the stream, and where its names begin. */
    uint32_t stream;
    size_t first_of_stream;
    /* After koid_names_finish: some object has several names. */
    bool has_changes;
    /* The boots that koids are of. */
    struct boots boots;
};

/* A stream ends: its names without a time count from `start_ns` on, which is 0 for a
 * stream without times. */
void koid_names_end_stream(struct koid_names *names, uint64_t start_ns);

/* Takes a kernel object record, if it is of a process or a thread. `moment` is for a name
 * without an argument `since`. Returns whether the order of the stream matters: a sample
 * that follows may have the same time as one before. */
bool koid_names_take(struct koid_names *names, const struct fxt_record *record,
                     struct koid_names_moment moment);

/* The object has this name. Returns the same as koid_names_take. */
bool koid_names_add_name(struct koid_names *names, enum koid_names_kind kind,
                         uint64_t koid, struct string name,
                         struct koid_names_moment moment);

/* `thread` is a thread of `process`. */
void koid_names_add_process(struct koid_names *names, uint64_t thread, uint64_t process);

/* After the end of the last stream, and before any question about names. */
void koid_names_finish(struct koid_names *names);

/* Which name an object had at a time; 0 if that is its last one. Of names that were given
 * after a sample of that very time, only the first `n_given` of the input count. */
uint32_t koid_names_name_at(const struct koid_names *names, enum koid_names_kind kind,
                            uint64_t koid, uint64_t time_ns, uint64_t n_given);

/* The name; of size 0 if it is not known. Valid until something is added. */
struct string koid_names_name(const struct koid_names *names, struct koid_names_id id);

/* Adds "name[koid]" to `text`, or "process[koid]", "thread[koid]" if the name is not
 * known; of another boot than the first "name[koid, boot 2]". */
void koid_names_describe(const struct koid_names *names, struct koid_names_id id,
                         struct text *text);

/* The process of a thread; 0 if it is not known. */
uint64_t koid_names_process(const struct koid_names *names, uint64_t thread);

#endif
