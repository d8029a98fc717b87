/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who a koid is: the names of processes and threads, and the process of a thread, as
 * kernel object records tell them.
 *
 * Several providers may name the same object, some of them only with what they had room
 * for: the longest name wins, and of two that are as long the one that sorts first, so
 * that the order in which they come does not matter.
 */
#ifndef FXTPROFILE_PROFILE_KOID_NAMES_H
#define FXTPROFILE_PROFILE_KOID_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "base/string_table.h"
#include "base/table.h"

struct koid_names_entry {
    uint64_t koid;
    /* Of a thread: its process; 0 if nobody said. */
    uint64_t process;
    /* Its number in `names`. */
    uint32_t name;
};

/* All zero is an empty one. */
struct koid_names {
    struct koid_names_entry *entries;
    size_t n;
    size_t capacity;
    struct table table;
    struct string_table names;
};

/* Takes a kernel object record: what it says of a process or thread, if it is of one. */
void koid_names_take(struct koid_names *who, const struct fxt_record *record);

/* `koid` is called this. */
void koid_names_add_name(struct koid_names *who, uint64_t koid, const char *name,
                         size_t size);

/* `thread` is a thread of `process`. */
void koid_names_add_process(struct koid_names *who, uint64_t thread, uint64_t process);

/* The name of a koid; of size 0 if it is not known. Valid until something is added. */
struct string koid_names_name(const struct koid_names *who, uint64_t koid);

/* Adds "name[koid]" to `text`; `kind` stands for a name that is not known. */
void koid_names_describe(const struct koid_names *who, uint64_t koid, const char *kind,
                         struct text *text);

/* The process of a thread; 0 if it is not known. */
uint64_t koid_names_process(const struct koid_names *who, uint64_t thread);

void koid_names_free(struct koid_names *who);

#endif
