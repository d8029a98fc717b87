/* SPDX-License-Identifier: BSD-2-Clause */
/* What /proc has of a process or a thread in its files stat and status. */
#ifndef PROCESSES_PROC_STAT_H
#define PROCESSES_PROC_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_stat {
    /* A letter, as S for one that sleeps. */
    char state;
    pid_t parent;
    /* The kernel's, as PF_FORKNOEXEC in linux/sched.h. */
    unsigned flags;
    /* From boot to its start. */
    uint64_t start_ticks;
};

/* Returns false if there is no such thread, or that is not known. A process is its first
 * thread. */
bool proc_stat_read(pid_t process, pid_t thread, struct proc_stat *stat);

/* A zombie, or less. */
static inline bool proc_stat_has_ended(const struct proc_stat *stat)
{
    return stat->state == 'Z' || stat->state == 'X';
}

/* The number after a name such as "Tgid:" in the status of a process or a thread; of 0,
 * this process. Returns `otherwise` if there is none. */
long proc_status_number(pid_t id, const char *name, long otherwise);

/* The process that a thread belongs to; the thread's own id if that is not known. */
static inline pid_t proc_status_process(pid_t thread)
{
    return (pid_t)proc_status_number(thread, "Tgid:", thread);
}

#endif
