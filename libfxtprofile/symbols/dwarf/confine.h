/* SPDX-License-Identifier: BSD-2-Clause */
/* Sandboxes a process: it drops all rights that it does not need. */
#ifndef FXTPROFILE_SYMBOLS_DWARF_CONFINE_H
#define FXTPROFILE_SYMBOLS_DWARF_CONFINE_H

#include <stdint.h>

struct confine_limits {
    /* How much memory the process may allocate beyond what it has, and its CPU time:
     * beyond these allocations fail, or it is killed. */
    uint64_t memory_bytes;
    uint64_t cpu_seconds;
};

/*
 * From here on this process can only write to `out`, read from open files, allocate and
 * exit, and it leaves no core file. Linux on x86-64, AArch64 and RISC-V enforces all of
 * this; elsewhere the limits apply, no file can be opened or grow, and standard output
 * and standard error are closed.
 *
 * May be called after fork in a process with threads: nothing here allocates.
 */
void confine(int out, struct confine_limits limits);

#endif
