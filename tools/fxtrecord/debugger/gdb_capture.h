/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording by our own client, and what it captures: the stacks of all threads while
 * the target is stopped, which is repeated. */
#ifndef FXTRECORD_DEBUGGER_GDB_CAPTURE_H
#define FXTRECORD_DEBUGGER_GDB_CAPTURE_H

#include "tools/fxtrecord/live.h"
#include "tools/fxtrecord/record_options.h"
#include "gdb_kernel.h"
#include "gdb_link.h"
#include "gdb_progress.h"
#include "gdb_regions.h"

/* A request to stop while the target is stopped is handled after it was resumed. */
#define GDB_GRACE_NS ((uint64_t)1000000000)

struct gdb_run {
    const struct record_options *options;
    struct gdb_socket socket;
    struct gdb_client client;
    struct gdb_kernel kernel;
    struct gdb_progress progress;
    struct recording recording;
    struct live_recording samples;
    struct live live;
    struct text archive_name;
    struct text command_line;
    struct gdb_regions regions;
    /* How many samples are missing since threads had no registers, or were too many. */
    uint64_t n_unread;
    uint64_t n_left_out;
    /* The number of the process that all threads are of. */
    uint64_t process;
    /* The recording has what the kernel's memory says, and what is the user's. */
    bool has_kernel;
    bool has_user;
    bool has_firmware;
};

/* A thread's number is that of its samples, unless no process id could be so large. */
uint64_t gdb_thread_number(const struct gdb_thread *thread);

/* Names the threads, and their process if it has no name. */
void gdb_name_threads(struct gdb_run *run, uint64_t time_ns);

/* Resumes the target, and captures until all is captured that was asked for, or the
 * target or the user ends it. */
enum rsp_code gdb_capture_all(struct gdb_run *run);

#endif
