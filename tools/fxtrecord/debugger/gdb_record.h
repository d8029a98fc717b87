/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings through a debug stub: its target is stopped repeatedly, and the stacks of
 * its CPUs or threads are read.
 */
#ifndef FXTRECORD_DEBUGGER_GDB_RECORD_H
#define FXTRECORD_DEBUGGER_GDB_RECORD_H

#include "tools/fxtrecord/record_options.h"

/* Records; by our own client, to FXT, or by a gdb process, to its log. Returns the exit
 * status. */
int gdb_record(const struct record_options *options);
int gdb_record_with_gdb(const struct record_options *options);

#endif
