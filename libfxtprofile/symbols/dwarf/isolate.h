/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work that hostile input may make do anything, in a process of its own that is confined
 * (see confine.h): all that it can do is to write what it found out.
 */
#ifndef FXTPROFILE_SYMBOLS_DWARF_ISOLATE_H
#define FXTPROFILE_SYMBOLS_DWARF_ISOLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "confine.h"

/* The work. It writes with isolate_write, and when it returns the process ends.
 *
 * It is done in a child of fork(), where it sees all memory as it was, and may be that of
 * a process with other threads: it may use memory that it allocates, but no lock that one
 * of those could have had. */
typedef void isolate_work_fn(void *context, int out);

/* Returns false if nothing more is wanted. */
bool isolate_write(int out, const void *bytes, size_t size);

/* Ends the process of the work at once, as one that failed. */
void isolate_fail(void) __attribute__((noreturn));

/* Takes some of what the work wrote, which may be anything. Returns false to end it. */
typedef bool isolate_take_fn(void *context, const void *bytes, size_t size);

enum isolate_end {
    /* It said that it has ended, which only proves that something did, or it was ended;
     * what it wrote must tell whether that is all. */
    ISOLATE_ENDED,
    /* errno says why. */
    ISOLATE_NOT_STARTED,
    /* It crashed, or there was no memory for it. */
    ISOLATE_FAILED,
    ISOLATE_NO_TIME,
};

/* Does the work, and hands what it writes to `take`. It leaves no process. */
enum isolate_end isolate(isolate_work_fn *work, void *work_context,
                         struct confine_limits limits, isolate_take_fn *take,
                         void *take_context);

#endif
