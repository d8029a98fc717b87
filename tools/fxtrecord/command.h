/* SPDX-License-Identifier: BSD-2-Clause */
/* The command that is recorded: it is made ready, waits until it is sampled, and runs. */
#ifndef FXTRECORD_COMMAND_H
#define FXTRECORD_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

struct command {
    /* 0 if there is none. */
    pid_t process;
    /* A byte lets the command run; without one, it ends when this is closed. */
    int go;
    /* Says why it could not be run. */
    int failure;
    /* It runs, or has run. */
    bool has_run;
    /* It has ended, with this status. */
    bool has_ended;
    int status;
};

/* Ignores the signals of a full disk and of a pipe without a reader: writing reports
 * these. Before command_prepare; the command has them as they were. */
void command_ignore_signals(void);

/* Starts a process that will be the command. `environments` are lists of further
 * variables, names and values by turns; each list ends with a NULL, and so do the lists.
 * If `leaves_output`, what the command prints on standard output goes to standard error:
 * the former is for others. No signal is blocked in the command. Returns false with errno
 * set. */
bool command_prepare(struct command *command, char *const *arguments,
                     const char *const *const *environments, bool leaves_output);

/* Lets it run. Returns false, with errno set, if there is no such program, and then it
 * has ended. */
bool command_run(struct command *command);

/* Ends it: what was not let run never does, what runs is asked to end. */
void command_give_up(struct command *command);

/* Looks whether it has ended; waits for that if `wait`. */
void command_look(struct command *command, bool wait);

/* Its exit status as a shell has it: 128 and the signal that ended it; 127 or 126 if
 * there is no such program, or it cannot be run. */
int command_status(const struct command *command);

#endif
