/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the names of threads and processes before the first sample of each. */
#ifndef LINUX_NAMES_H
#define LINUX_NAMES_H

#include <linux/sched.h>

#include <fxt/emit.h>

/* Threads whose names were written. One that another has displaced is written again. */
struct names {
    struct {
        bool is_written;
        pid_t thread;
        char name[TASK_COMM_LEN];
    } last[64];
};

/* Writes what was not written yet of the current thread; all that is zero has no names.
 * Returns how many records. Those that are dropped are tried again. */
unsigned int names_write(struct names *names, struct fxt_emit *emit);

#endif
