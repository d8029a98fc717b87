/* SPDX-License-Identifier: BSD-2-Clause */
/* See targets.h. */
#include "targets.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "processes/proc_read.h"
#include "session_events.h"
#include "tools/common/report.h"

bool fail(const char *what, const char *why)
{
    complain(FXTRECORD_PROGRAM, what, "%s", why);
    return false;
}

/* What a user can do about a code of the sampler's. */
bool fail_code(const char *what, enum fxt_sampler_code code)
{
    const char *message = fxt_sampler_code_message(code);

    if (code != FXT_SAMPLER_E_PERMISSION)
        return fail(what, message);
    complain(FXTRECORD_PROGRAM, what,
             "%s: perf events of other users' processes, of the kernel, and of the whole "
             "system need root or a lower kernel.perf_event_paranoid",
             message);
    return false;
}

static bool attach(struct fxt_sampler *sampler, enum fxt_sampler_target target, pid_t id)
{
    enum fxt_sampler_code code = fxt_sampler_attach(sampler, target, id);
    char name[32];

    if (code == FXT_SAMPLER_OK || code == FXT_SAMPLER_E_ATTACHED)
        return true;
    snprintf(name, sizeof(name), "%ld", (long)id);
    return fail_code(id != 0 ? name : NULL, code);
}

/* The children that a process has already are targets of their own; those that it will
 * have come by themselves. One that ends meanwhile is no failure. */
static void attach_children(struct fxt_sampler *sampler, struct process_table *table,
                            pid_t process)
{
    char path[64];
    DIR *tasks;
    const struct dirent *entry;

    snprintf(path, sizeof(path), "/proc/%ld/task", (long)process);
    tasks = opendir(path);
    while (tasks != NULL && (entry = readdir(tasks)) != NULL) {
        FILE *children;
        long child;

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children", (long)process,
                 strtol(entry->d_name, NULL, 10));
        children = fopen(path, "re");
        while (children != NULL && fscanf(children, "%ld", &child) == 1) {
            session_events_read_process(table, (pid_t)child);
            if (fxt_sampler_attach(sampler, FXT_SAMPLER_PROCESS, (pid_t)child) !=
                FXT_SAMPLER_OK)
                continue;
            session_events_read_process(table, (pid_t)child);
            attach_children(sampler, table, (pid_t)child);
        }
        if (children != NULL)
            fclose(children);
    }
    if (tasks != NULL)
        closedir(tasks);
}

bool targets_attach_system(struct fxt_sampler *sampler, struct process_table *table)
{
    if (!attach(sampler, FXT_SAMPLER_SYSTEM, 0))
        return false;
    session_events_read_system(table);
    return true;
}

bool targets_attach(struct fxt_sampler *sampler, const struct record_options *o,
                    pid_t command, struct process_table *table)
{
    if (o->command != NULL)
        return attach(sampler, FXT_SAMPLER_PROCESS, command);
    for (size_t i = 0; i < o->n_ids; i++) {
        pid_t id = o->ids[i];
        pid_t process = o->target == FXT_SAMPLER_THREAD ? proc_read_process_of(id) : id;

        /* Before, as it may end once it is sampled; after, as it may have mapped more. */
        session_events_read_process(table, process);
        if (!attach(sampler, o->target, id))
            return false;
        session_events_read_process(table, process);
        if (o->target == FXT_SAMPLER_PROCESS)
            attach_children(sampler, table, id);
    }
    return true;
}

/* A process that has ended may stay in the table of processes for as long as its parent
 * does not ask for its status; a file of it tells. Threads have such files since Linux
 * 6.9, which is what O_EXCL is for, and processes since 5.3. */
static bool exists(enum fxt_sampler_target target, pid_t id)
{
    unsigned flags = target == FXT_SAMPLER_THREAD ? O_EXCL : 0;
    struct pollfd ended = {.events = POLLIN};
    bool has_ended;

    ended.fd = (int)syscall(SYS_pidfd_open, (long)id, (unsigned long)flags);
    if (ended.fd < 0)
        return kill(id, 0) == 0 || errno == EPERM;
    has_ended = poll(&ended, 1, 0) > 0;
    close(ended.fd);
    return !has_ended;
}

bool targets_exist(const struct record_options *o)
{
    for (size_t i = 0; i < o->n_ids; i++) {
        if (exists(o->target, o->ids[i]))
            return true;
    }
    return false;
}
