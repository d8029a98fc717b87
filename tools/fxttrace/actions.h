/* SPDX-License-Identifier: BSD-2-Clause */
/* What is done with the traces of programs that run, or that crashed. Each function
 * prints what is wrong and returns the exit status; `name` is the program's, for
 * messages. */
#ifndef FXTTRACE_ACTIONS_H
#define FXTTRACE_ACTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "target.h"

#define FXTTRACE_PROGRAM "fxttrace"

enum fxttrace_status { FXTTRACE_GOOD = 0, FXTTRACE_BAD = 1, FXTTRACE_UNUSABLE = 2 };

/* What the command line says. */
struct fxttrace_options {
    /* 0 for none. */
    pid_t process;
    const char *core;
    const char *streamed;
    bool starts;
    bool stops;
    bool keeps_last;
    bool streams;
    /* 0 for the default. */
    uint64_t max_bytes;
    /* NULL if they are not given. */
    const char *categories;
    const char *output;
    bool quiet;
};

/* ---- In their memory --------------------------------------------------------------- */

/* Asks for a session, which begins with the program's next event, and waits for that for
 * two seconds. */
enum fxttrace_status control_start(const struct target *target, const char *name,
                                   const struct fxttrace_options *options);

/* The file has what was traced, and stays open until the program ends, or starts another
 * session. What was asked for and has not begun never does. */
enum fxttrace_status control_stop(const struct target *target, const char *name);

/* Replaces the patterns of categories, at once. */
enum fxttrace_status control_switch(const struct target *target, const char *name,
                                    const char *patterns);

/* ---- As archives ------------------------------------------------------------------- */

/* Writes the file of the last session, or standard output if `output` is NULL, with the
 * chunks in the order in which they were begun. */
enum fxttrace_status fetch(const struct target *target, const char *name,
                           const char *output);

/* Of a program that was killed: writes the events of a stream and of its rings, each
 * once, to `output`, or standard output for NULL. */
enum fxttrace_status recover(const char *stream, const char *output);

/* ---- On standard output ------------------------------------------------------------ */

/* Prints a line for each process that this user may look at. */
enum fxttrace_status list_all(const struct fxttrace_options *options);

/* Prints the line of one process, and its categories. */
enum fxttrace_status list_one(const struct target *target, const char *name);

#endif
