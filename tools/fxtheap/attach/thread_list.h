/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of a process, those first that are best stopped. */
#ifndef FXTHEAP_ATTACH_THREAD_LIST_H
#define FXTHEAP_ATTACH_THREAD_LIST_H

#include <stddef.h>
#include <sys/types.h>

/* By how little it is disturbed: one that waits in a system call that is restarted, one
 * that runs, one that waits where a program sees that it was interrupted. */
enum disturbance { DISTURBED_LEAST, DISTURBED_LITTLE, DISTURBED_MORE };

struct listed_thread {
    pid_t id;
    enum disturbance disturbance;
};

/* Returns how many there are; `*threads` is to be released. */
size_t thread_list(pid_t process, struct listed_thread **threads);

#endif
