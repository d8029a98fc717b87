/* SPDX-License-Identifier: BSD-2-Clause */
/* The stack of a thread that a debug stub has stopped. */
#ifndef FXTRECORD_DEBUGGER_GDB_STACK_H
#define FXTRECORD_DEBUGGER_GDB_STACK_H

#include "gdb_client.h"

/* Walks the frames from a view's registers on, and stores PCs, leaf first. Returns how
 * many, at least one; what cannot be read ends the walk, and so does what the view wants.
 */
uint64_t gdb_walk(const struct gdb_client *client, struct gdb_view *view, uint64_t *pcs,
                  uint64_t max_pcs);

#endif
