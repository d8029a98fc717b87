/* SPDX-License-Identifier: BSD-2-Clause */
/* The stack of a thread that a debug stub has stopped. */
#ifndef FXTRECORD_DEBUGGER_GDB_STACK_H
#define FXTRECORD_DEBUGGER_GDB_STACK_H

#include "gdb_client.h"

/* The bits of an aarch64 address that may be a signature's: bit 55 and the 48 lowest are
 * not. */
#define GDB_AARCH64_SIGNATURE ((uint64_t)0xff7f000000000000)

/* Walks the frames from registers on, with a view's memory, and stores PCs, leaf first.
 * aarch64's link register is that of a leaf, or 0. Returns how many, at least one; what
 * cannot be read ends the walk, and so does what the view wants. */
uint64_t gdb_walk(const struct gdb_client *client, struct gdb_view *view,
                  const struct gdb_registers *registers, uint64_t *pcs, uint64_t max_pcs);

#endif
