/* SPDX-License-Identifier: BSD-2-Clause */
/* The stack of a thread that a debug stub has stopped. */
#ifndef FXTRECORD_DEBUGGER_GDB_STACK_H
#define FXTRECORD_DEBUGGER_GDB_STACK_H

#include "gdb_client.h"

/* Walks the frames from the registers on, and stores PCs, leaf first. Returns how many,
 * at least one; what cannot be read ends the walk. If that was not the stub's answer,
 * `*code` has the reason. */
uint64_t gdb_walk(struct gdb_client *client, const struct gdb_registers *registers,
                  uint64_t *pcs, uint64_t max_pcs, enum rsp_code *code);

#endif
