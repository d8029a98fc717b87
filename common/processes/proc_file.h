/* SPDX-License-Identifier: BSD-2-Clause */
/* Text files of /proc and the like, by lines, and the numbers in its directories. They
 * are closed, too, if memory_run ends before that is done. */
#ifndef PROCESSES_PROC_FILE_H
#define PROCESSES_PROC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct proc_file;

/* Returns NULL if there is no such file. */
struct proc_file *proc_file_open(const char *path);

/* The next line, without its newline, which the caller may change; NULL at the end. Valid
 * until the next call. */
char *proc_file_line(struct proc_file *file);

void proc_file_close(struct proc_file *file);

/* Lists the entries of a directory that are numbers. Returns how many there are; `*ids`
 * is the caller's to release. */
size_t proc_file_list(const char *directory, pid_t **ids);

#endif
