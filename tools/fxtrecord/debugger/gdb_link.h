/* SPDX-License-Identifier: BSD-2-Clause */
/* A socket as a link of rsp.h. */
#ifndef FXTRECORD_DEBUGGER_GDB_LINK_H
#define FXTRECORD_DEBUGGER_GDB_LINK_H

#include "rsp.h"

struct gdb_socket {
    /* -1 for none. */
    int fd;
    bool is_tcp;
    /* Is readable once the user does not want to wait any more; or -1. What is being said
     * has so long to come to its end then, from when that was first seen. */
    int stop;
    uint64_t grace_ns;
    uint64_t stopped_ns;
};

/* Connects to HOST:PORT, where no host is this one, or to a socket in the file system.
 * Returns false, with the reason added to `why`. */
bool gdb_connect(struct gdb_socket *socket, const char *address, struct text *why);

struct rsp_link gdb_link(struct gdb_socket *socket);

void gdb_close(struct gdb_socket *socket);

#endif
