/* SPDX-License-Identifier: BSD-2-Clause */
/* A process gives up all that it does not need. */
#ifndef FXTPROFILE_SYMBOLS_DWARF_CONFINE_H
#define FXTPROFILE_SYMBOLS_DWARF_CONFINE_H

#include <stdint.h>

struct confine_limits {
    /* How much more memory the process may have than it has, and how much CPU time from
     * its start on: beyond these it cannot allocate, or is killed. */
    uint64_t memory_bytes;
    uint64_t cpu_seconds;
};

/*
 * From here on this process may write to `out`, read from files that are open, allocate
 * and end; whatever happens to it, there is no core file. Linux on x86-64, AArch64 and
 * RISC-V enforces all of this; elsewhere the limits hold, no file can be opened or grow,
 * and standard output and standard error are closed.
 *
 * For a process that was just forked, also of one with threads: nothing here allocates.
 */
void confine(int out, struct confine_limits limits);

#endif
