/* SPDX-License-Identifier: BSD-2-Clause */
/* How every program here starts and ends. */
#ifndef COMMON_PROGRAM_H
#define COMMON_PROGRAM_H

typedef int program_fn(void *context, int argc, char **argv);

/* Calls `run` with `context` and returns its exit status. A file that is opened while a
 * standard stream is closed would be taken for that stream; so closed ones are opened
 * first, as something that can be neither read nor written. If memory runs out, that is
 * printed, and the exit status is 1. */
int program_main(const char *name, program_fn *run, void *context, int argc, char **argv);

#endif
