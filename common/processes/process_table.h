/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of processes: their names, their threads' names, and the code that they
 * have mapped. proc_read.h adds what /proc has; a recorder adds what it is notified of.
 */
#ifndef PROCESSES_PROCESS_TABLE_H
#define PROCESSES_PROCESS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "jit_files.h"
#include "mapped_files.h"

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

struct process_list {
    struct process_entry *all;
    size_t n;
    size_t capacity;
    struct table table;
};

/* All zero is an empty one. */
struct process_table {
    struct process_list processes;
    struct process_list threads;
    struct mapped_files files;
};

/* The entry with that id, which is added if there is none. Valid until the next is added.
 */
struct process_entry *process_table_process(struct process_table *table, pid_t id);
struct process_entry *process_table_thread(struct process_table *table, pid_t id);

/* The last name, or NULL. */
const char *process_table_last_name(const struct process_entry *entry);

/* Names a thread, or a process: from a time on, or in place of the last name if that has
 * the same time. The name of a process is that of its program, whatever its first thread
 * is called. */
void process_table_name_thread(struct process_table *table, pid_t process, pid_t thread,
                               const char *name, uint64_t since_ns);
void process_table_name_process(struct process_table *table, pid_t process,
                                const char *name, uint64_t since_ns);

/* Gives a thread a name that no other replaces, from a time on; NULL ends that. */
void process_table_label(struct process_table *table, pid_t process, pid_t thread,
                         const char *label, uint64_t since_ns);

/* Adds a mapping of code in a file or in the vdso. Other code is a JIT compiler's. */
void process_table_map(struct process_table *table, const struct file_mapping *mapping);

/* A thread was renamed, which names its process, too, if that has no name yet or has
 * called exec. */
void process_table_rename(struct process_table *table, pid_t process, pid_t thread,
                          const char *name, bool by_exec, uint64_t time_ns);

/* A thread, and its creator. */
struct process_fork {
    pid_t process;
    pid_t thread;
    pid_t parent;
    pid_t parent_thread;
};

/* A thread was created. It has the name of the one that created it; if it is in a new
 * process, that has the name and the mappings of its parent. */
void process_table_fork(struct process_table *table, struct process_fork fork,
                        uint64_t time_ns);

/* Processes that have never called exec get the names and mappings of the one that they
 * are copies of, as far as they have none. */
void process_table_complete_copies(struct process_table *table, pid_t original);

/* A process may have a JIT compiler, though none of its code was seen. */
void process_table_expect_names(struct process_table *table, pid_t process);

/* Look for the perf maps of one process that has or may have a JIT compiler, or of all;
 * see jit_files_look. */
void process_table_look_for_names(struct process_table *table, pid_t process,
                                  uint64_t pause_ns);
void process_table_look_for_all_names(struct process_table *table);

/* Begins another archive: no entry is sampled or written yet. */
void process_table_start_archive(struct process_table *table);

/* Frees what an entry has. */
void process_table_free_entry(struct process_entry *entry);

void process_table_free(struct process_table *table);

#endif
