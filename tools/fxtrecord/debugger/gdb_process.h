/* SPDX-License-Identifier: BSD-2-Clause */
/* A gdb that is told what to do, in the language it has for that (GDB/MI). */
#ifndef FXTRECORD_DEBUGGER_GDB_PROCESS_H
#define FXTRECORD_DEBUGGER_GDB_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/text.h"

enum gdb_answer {
    GDB_DONE,
    /* It says that it cannot: in `message`. */
    GDB_REFUSED,
    /* It has ended, or does not answer. */
    GDB_LOST,
    /* The user does not want to wait any more. */
    GDB_INTERRUPTED
};

struct gdb_process {
    pid_t process;
    int to;
    int from;
    /* Readable once the user does not want to wait any more; or -1. */
    int stop;
    /* What it has said and nobody has looked at yet. */
    struct text input;
    size_t pos;
    /* What it prints goes here, unless NULL. */
    struct text *log;
    struct text message;
    /* What it says of its target. */
    bool is_running;
    bool has_ended;
    /* It has ended, as far as gdb knows: the connection has. */
    bool is_lost;
};

/* Starts a program. Returns false with errno set. */
bool gdb_process_start(struct gdb_process *process, const char *program);

/* Gives a command of GDB/MI and waits until it is done. */
enum gdb_answer gdb_process_tell(struct gdb_process *process, const char *command);

/* Waits until the target has stopped, or, where it may not, until a time of
 * CLOCK_MONOTONIC: GDB_DONE in either case. */
enum gdb_answer gdb_process_await_stop(struct gdb_process *process);
enum gdb_answer gdb_process_wait(struct gdb_process *process, uint64_t until_ns);

/* Adds an argument of a command, quoted. */
void gdb_quote(struct text *to, const char *argument);

/* Makes it end. */
void gdb_process_end(struct gdb_process *process);

#endif
