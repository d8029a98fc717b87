/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs work that hostile input may exploit in a sandboxed process (confine.c), which
 * can only write its results.
 */
#ifndef FXTPROFILE_SYMBOLS_DWARF_ISOLATE_H
#define FXTPROFILE_SYMBOLS_DWARF_ISOLATE_H

#include <stdbool.h>
#include <stddef.h>
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

/* The work. It writes with isolate_write, and when it returns the process ends.
 *
 * It runs in a child of fork(), with a copy of all memory. The parent may have other
 * threads, so it may allocate memory, but not take any lock that they could hold. */
typedef void isolate_work_fn(void *context, int out);

/* Returns false if the parent does not read any more. */
bool isolate_write(int out, const void *bytes, size_t size);

/* Ends the process of the work at once, as one that failed. */
void isolate_fail(void) __attribute__((noreturn));

/* Takes a part of what the work wrote, which is not trusted. Returns false to stop. */
typedef bool isolate_take_fn(void *context, const void *bytes, size_t size);

enum isolate_end {
    /* It exited or was stopped. Whether it is complete must be seen from what it wrote:
     * the exit status of a compromised process proves nothing. */
    ISOLATE_ENDED,
    /* errno has the reason. */
    ISOLATE_NOT_STARTED,
    /* It crashed, or there was no memory for it. */
    ISOLATE_FAILED,
    ISOLATE_NO_TIME,
};

/* Runs the work, and passes what it writes to `take`. The process is reaped. */
enum isolate_end isolate(isolate_work_fn *work, void *work_context,
                         struct confine_limits limits, isolate_take_fn *take,
                         void *take_context);

#endif
