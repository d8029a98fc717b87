/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording by our own client: the regions that are filled, the socket to the target,
 * and what is captured, the stacks of all threads while the target is stopped, which is
 * repeated. */
#ifndef FXTRECORD_DEBUGGER_GDB_CAPTURE_H
#define FXTRECORD_DEBUGGER_GDB_CAPTURE_H

#include <fxt/emit.h>

#include "common/processes/filled_regions.h"
#include "gdb_kernel.h"
#include "gdb_progress.h"
#include "rsp.h"
#include "tools/fxtrecord/live.h"
#include "tools/fxtrecord/record_options.h"

/* A request to stop while the target is stopped is handled after it was resumed. */
#define GDB_GRACE_NS ((uint64_t)1000000000)

/* What was sampled and is not in the archive yet: a region for each CPU. All zero, but
 * for the size of each region in bytes, has none. */
struct gdb_regions {
    uint64_t buffer_size;
    struct gdb_region *all;
    size_t n;
    size_t capacity;
    /* Records that did not fit. */
    uint64_t n_dropped;
};

/* The emitter of a CPU; NULL if there is no memory for its region. */
struct fxt_emit *gdb_regions_find(struct gdb_regions *regions, uint32_t cpu);

/* Adds what is in the regions to a block, and empties those that were in the last one.
 * What was dropped is reported from `start_ns` on. */
void gdb_regions_take(struct gdb_regions *regions, uint64_t start_ns,
                      struct filled_regions *block);

/* A socket as a link of rsp.h. */
struct gdb_socket {
    /* -1 for none. */
    int fd;
    bool is_tcp;
    /* Readable once the user asks to stop; or -1. A transfer in progress then has this
     * long to finish, from when that was first seen. */
    int stop;
    uint64_t grace_ns;
    uint64_t stopped_ns;
};

/* Connects to HOST:PORT, or :PORT of this machine, or to a socket in the file system. On
 * failure returns false and adds the reason to `why`. */
bool gdb_connect(struct gdb_socket *socket, const char *address, struct text *why);

struct rsp_link gdb_link(struct gdb_socket *socket);

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
