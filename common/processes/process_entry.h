/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of one process or thread: its names, and the code that it has mapped. */
#ifndef PROCESSES_PROCESS_ENTRY_H
#define PROCESSES_PROCESS_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/processes/jit/jit_files.h"

struct process_mapping {
    uint64_t start;
    uint64_t length;
    uint64_t offset;
    /* Since when; 0 where that is not known. */
    uint64_t since_ns;
    /* enum fxt_mapping_flag */
    uint32_t flags;
    /* Its index in the table's files. */
    uint32_t file;
};

/* A name, and since when; 0 where that is not known. */
struct process_name {
    char *name;
    uint64_t since_ns;
};

/* A thread, or a process, which has the id of its first thread. */
struct process_entry {
    pid_t id;
    /* Threads: their process, or 0 where that is not known. */
    pid_t process;
    /* In the order of time. */
    struct process_name *names;
    size_t n_names;
    size_t name_capacity;
    /* It has a label, in place of its name. */
    bool is_labelled;
    /* It is in some sample; and the sampler reports that it was in the kernel in one:
     * addresses do not say that. */
    bool is_sampled;
    bool is_in_kernel;
    /* It is in some record that needs its name only. */
    bool is_named;
    /* What the present archive has of it (process_records.h): a record of the object, so
     * many of its names and mappings, and of the kernel's parts. */
    bool is_described;
    size_t n_names_written;
    size_t n_mappings_written;
    size_t n_kernel_written;
    uint32_t last_module;
    /* When it was first found to have ended; 0 if it was not. */
    uint64_t ended_ns;
    /* Processes. It has not called exec since it was created by fork, and is not known
     * any better. */
    bool is_copy;
    struct process_mapping *mappings;
    size_t n_mappings;
    size_t mapping_capacity;
    /* How many mappings are those of before its last exec, and when that was. */
    size_t n_old_mappings;
    uint64_t exec_ns;
    /* The files in which a JIT compiler names its functions; NULL if none was looked for.
     */
    struct jit_files *jit_files;
};

/* The last name, or NULL; of NULL, as well. */
const char *process_entry_name(const struct process_entry *entry);

/* Adds a name: from a time on, or in place of the last one if that has the same time. */
void process_entry_add_name(struct process_entry *entry, const char *name,
                            uint64_t since_ns);

/* Adds a mapping, which may be there already. */
void process_entry_map(struct process_entry *process, struct process_mapping mapping);

/* The process has called exec. */
void process_entry_take_exec(struct process_entry *process, uint64_t time_ns);

/* Removes the first `n` mappings; and those that others have been in place of since
 * before some time. */
void process_entry_drop_first(struct process_entry *process, size_t n);
void process_entry_drop_replaced(struct process_entry *process, uint64_t before_ns);

/* Frees what it has. */
void process_entry_free(struct process_entry *entry);

#endif
