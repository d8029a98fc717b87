/* SPDX-License-Identifier: BSD-2-Clause */
/* A socket as a link of rsp.h. */
#ifndef FXTRECORD_DEBUGGER_GDB_LINK_H
#define FXTRECORD_DEBUGGER_GDB_LINK_H

#include "rsp.h"

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

void gdb_close(struct gdb_socket *socket);

#endif
