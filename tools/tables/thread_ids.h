/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The numbers of threads and processes in the tables, from 1 on: upid and utid.
 *
 * A thread is known by its boot, its process, its number and its name, and a process by
 * all of these but the second: with several names while it was sampled it is several, so
 * that sums by name are those of reports. Events count for the last name. Threads of
 * different inputs that are equal in these are one; one without a number is one for each
 * input.
 */
#ifndef TOOLS_TABLES_THREAD_IDS_H
#define TOOLS_TABLES_THREAD_IDS_H

#include <fxt/profile.h>

#include "common/base/table.h"

struct listed_process {
    uint64_t pid;
    uint64_t boot;
    struct fxt_string name;
};

struct listed_thread {
    uint32_t upid;
    /* Of a thread without a number, that of its event thread, plus one; else 0. */
    uint32_t unknown;
    uint64_t boot;
    uint64_t tid;
    struct fxt_string name;
};

/* A number, and the first thread that has it. */
struct numbered_thread {
    uint64_t boot;
    uint64_t tid;
    uint32_t utid;
};

struct thread_ids {
    /* By upid and utid, less one. */
    struct listed_process *processes;
    size_t n_processes;
    size_t process_capacity;
    struct table process_table;
    struct listed_thread *threads;
    size_t n_threads;
    size_t thread_capacity;
    struct table thread_table;
    struct numbered_thread *numbered;
    size_t n_numbered;
    size_t numbered_capacity;
    struct table number_table;
    /* The utids of the profile's event threads, and of its samples, by their indices; 0
     * where there is no thread. */
    uint32_t *of_event_threads;
    uint32_t *of_samples;
};

void thread_ids_make(struct thread_ids *ids, const struct fxt_profile *profile);

/* The utid of the first thread with a number in the boot of another thread, by its utid;
 * 0 if there is none. */
uint32_t thread_ids_find(const struct thread_ids *ids, uint32_t beside, uint64_t tid);

#endif
