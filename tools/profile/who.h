/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who a koid is: the names of processes and threads, and the process of a thread, as
 * kernel object records tell them.
 *
 * Several providers may name the same object, some of them only with what they had room
 * for: the longest name wins, and of two that are as long the one that sorts first, so
 * that the order in which they come does not matter.
 */
#ifndef TOOLS_WHO_H
#define TOOLS_WHO_H

#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "string_set.h"
#include "table.h"

struct who_entry {
    uint64_t koid;
    /* Of a thread: its process; 0 if nobody said. */
    uint64_t process;
    /* Its number in `names`. */
    uint32_t name;
};

/* All zero is an empty one. */
struct who {
    struct who_entry *entries;
    size_t n;
    size_t capacity;
    struct table table;
    struct strings names;
};

/* Takes a kernel object record: what it says of a process or thread, if it is of one. */
void who_take(struct who *who, const struct fxt_record *record);

/* `koid` is called this. */
void who_add_name(struct who *who, uint64_t koid, const char *name, size_t size);

/* `thread` is a thread of `process`. */
void who_add_process(struct who *who, uint64_t thread, uint64_t process);

/* The name of a koid; of size 0 if it is not known. Valid until something is added. */
struct string who_name(const struct who *who, uint64_t koid);

/* Adds "name[koid]" to `text`; `kind` stands for a name that is not known. */
void who_describe(const struct who *who, uint64_t koid, const char *kind,
                  struct text *text);

/* The process of a thread; 0 if it is not known. */
uint64_t who_process(const struct who *who, uint64_t thread);

void who_free(struct who *who);

#endif
