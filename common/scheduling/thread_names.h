/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of threads, and of which process each is, as kernel object records have them:
 * the last one of each, in bounded memory.
 */
#ifndef SCHEDULING_THREAD_NAMES_H
#define SCHEDULING_THREAD_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "common/base/table.h"
#include "common/base/text.h"

/* Threads and bytes of names beyond these have no name. */
enum { THREAD_NAMES_MAX = 65536, THREAD_NAMES_BYTES_MAX = 4 << 20 };

struct thread_name {
    uint64_t koid;
    /* 0 where it is not known. */
    uint64_t process;
    size_t offset;
    size_t size;
};

/* All zero is an empty one. */
struct thread_names {
    struct thread_name *names;
    size_t n;
    size_t capacity;
    struct table table;
    struct text bytes;
};

/* Takes a record, if it says something about a thread. */
void thread_names_take(struct thread_names *names, const struct fxt_record *record);

/* The process and the name of a thread; its size is 0 where it is not known. Valid until
 * the next record. */
struct fxt_string thread_names_find(const struct thread_names *names, uint64_t koid,
                                    uint64_t *process);

#endif
