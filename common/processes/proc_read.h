/* SPDX-License-Identifier: BSD-2-Clause */
/* What /proc has of processes, added to a table of them. */
#ifndef PROCESSES_PROC_READ_H
#define PROCESSES_PROC_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "process_table.h"

/* Reads a line of /proc/PID/maps into a mapping, all but its process; the name is in the
 * line. Returns false if it is not such a line. */
bool proc_read_parse_mapping(char *line, struct file_mapping *mapping);

/* Adds the mappings in a file like /proc/PID/maps. Returns false if it cannot be read. */
bool proc_read_maps(struct process_table *table, pid_t process, const char *path);

/* Adds a process, its threads, and what it has mapped. The name that a thread has now is
 * taken to be one since the last change of its name that is known; a process that has a
 * name keeps it. */
void proc_read_process(struct process_table *table, pid_t process);

/* Add the name of one thread, which may be that of the process, too; and what a process
 * has mapped. */
void proc_read_thread(struct process_table *table, pid_t process, pid_t thread);
void proc_read_code(struct process_table *table, pid_t process);

/* The name that a thread has now. Returns false if there is no such thread. */
enum { PROC_READ_NAME_SIZE = 64 };
bool proc_read_name(pid_t process, pid_t thread, char *name);

/* Whether a process has called exec since it was created by fork; true if that is not
 * known. */
bool proc_read_has_executed(pid_t process);

/* Lists all processes. Returns how many there are; `*processes` is the caller's to
 * release. */
size_t proc_read_list(pid_t **processes);

#endif
