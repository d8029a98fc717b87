/* SPDX-License-Identifier: BSD-2-Clause */
/* A gdb process that is controlled by its machine interface (GDB/MI). */
#ifndef FXTRECORD_DEBUGGER_GDB_PROCESS_H
#define FXTRECORD_DEBUGGER_GDB_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/text.h"

enum gdb_answer {
    GDB_DONE,
    /* It reports an error, which is in `message`. */
    GDB_REFUSED,
    /* It has exited, or does not respond. */
    GDB_LOST,
    /* The user has asked to stop. */
    GDB_INTERRUPTED
};

struct gdb_process {
    pid_t process;
    int to;
    int from;
    /* Readable once the user asks to stop; or -1. */
    int stop;
    /* Its output that was not processed yet. */
    struct text input;
    size_t pos;
    /* Its console output is appended here, unless NULL. */
    struct text *log;
    struct text message;
    /* The state of the target, as it reports it. */
    bool is_running;
    bool has_ended;
    /* The target has ended or, which gdb reports likewise, the connection has. */
    bool is_lost;
};

/* Starts a program. Returns false with errno set. */
bool gdb_process_start(struct gdb_process *process, const char *program);

/* Sends a command of GDB/MI and waits until it is done. */
enum gdb_answer gdb_process_command(struct gdb_process *process, const char *command);

/* Waits until the target has stopped, or, where it may not, until a time of
 * CLOCK_MONOTONIC: GDB_DONE in either case. */
enum gdb_answer gdb_process_await_stop(struct gdb_process *process);
enum gdb_answer gdb_process_wait(struct gdb_process *process, uint64_t until_ns);

/* Adds an argument of a command, quoted. */
void gdb_quote(struct text *to, const char *argument);

/* Makes it exit, and reaps it. */
void gdb_process_end(struct gdb_process *process);

#endif
