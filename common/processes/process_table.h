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

#include "mapped_files.h"
#include "process_entry.h"

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

#endif
