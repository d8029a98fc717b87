/* SPDX-License-Identifier: BSD-2-Clause */
/* What to call a process whose start was not seen. */
#ifndef COMMON_PROGRAM_NAME_H
#define COMMON_PROGRAM_NAME_H

#include <sys/types.h>

/* As long as the kernel's names, with the zero byte that ends them. */
enum { PROGRAM_NAME_SIZE = 16 };

/* Finds the name that the kernel gave a process when it called exec, if its first thread
 * is called `thread_name` now: that, unless the thread was renamed since, to judge by the
 * command line, and else what its executable is called. */
void program_name(pid_t process, const char *thread_name, char *name);

#endif
