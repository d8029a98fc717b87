/* SPDX-License-Identifier: BSD-2-Clause */
/* How every program here starts and ends. */
#ifndef COMMON_PROGRAM_H
#define COMMON_PROGRAM_H

#include <stdbool.h>

#include "common/base/text.h"
#include "option_table.h"

typedef int program_fn(void *context, int argc, char **argv);

/* Calls `run` with `context` and returns its exit status. A file that is opened while a
 * standard stream is closed would be taken for that stream; so closed ones are opened
 * first, as something that can be neither read nor written. If memory runs out, that is
 * printed, and the exit status is 1. What `run` did not release is freed in the end. */
int program_main(const char *name, program_fn *run, void *context, int argc, char **argv);

/* Prints a text on standard output, all of it, and frees it. Returns false if that is
 * impossible, after printing why. */
bool program_print(const char *name, struct text *text);

/* Prints the usage, the options with their help at a column, and what follows, which may
 * be NULL. Returns the exit status: 0, or 1 if that is impossible. */
int program_help(const char *name, const char *usage, const struct option_group *groups,
                 size_t column, const char *ending);

/* Prints the name and the version. Returns the exit status, too. */
int program_version(const char *name);

/* Prints how to get help, for a command line that cannot be used. Returns the exit
 * status 2. */
int program_refuse_usage(const char *name);

/* Prints why a command line cannot be used and how to get help, in one line. Returns the
 * exit status 2. */
int program_refuse(const char *name, const char *message);

/* Lets this program have as many files open as the system allows it to. */
void program_allow_many_files(void);

/* Stores the path, with a zero at its end, of a file that belongs to the program: in a
 * build directory `beside`, from the program's directory on; else `installed`, unless
 * that is NULL. Returns false if neither can be read. */
bool program_find_file(struct text *path, const char *beside, const char *installed);

#endif
