/* SPDX-License-Identifier: BSD-2-Clause */
/* The name of a process that ran before recording began. */
#ifndef PROCESSES_PROGRAM_NAME_H
#define PROCESSES_PROGRAM_NAME_H

#include <sys/types.h>

/* The kernel's limit, with the zero byte at the end. */
enum { PROGRAM_NAME_SIZE = 16 };

/* Finds the name that the kernel gave a process when it called exec, whose first thread
 * is called `thread_name` now: that name if it is in the command line; otherwise the
 * thread has been renamed, and the name is that of the executable. `name` has room for
 * PROGRAM_NAME_SIZE. */
void program_name_find(pid_t process, const char *thread_name, char *name);

#endif
