/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that take the place of this one. */
#ifndef FXT_RUN_H
#define FXT_RUN_H

#define FXT_PROGRAM "fxt"

/* The exit status of shells for a program that cannot be started, or is not there. */
enum { RUN_REFUSED = 126, RUN_MISSING = 127 };

/* Runs a program with arguments, of which the first is its name and the last is followed
 * by NULL; it has this one's process, and so its exit status. Returns only if it cannot
 * be started: the exit status, after printing why. */
int run_program(const char *program, char **arguments);

/* Shows the man page of a program, or where there are none what its --help prints. */
int run_manual(const char *program);

#endif
