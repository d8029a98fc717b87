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

#include "failure.h"

static bool attach_target(struct fxt_sampler *sampler, enum fxt_sampler_target target,
                          pid_t id)
{
    enum fxt_sampler_code code = fxt_sampler_attach(sampler, target, id);
    char name[32];

    if (code == FXT_SAMPLER_OK || code == FXT_SAMPLER_E_ATTACHED)
        return true;
    snprintf(name, sizeof(name), "%ld", (long)id);
    return failure_report_code(id != 0 ? name : NULL, code);
}

/* The children that a process has already are separate targets; those that it will
 * have are sampled with it. A child that has ended by now is no failure. */
static void attach_children(struct fxt_sampler *sampler, pid_t process)
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
            if (fxt_sampler_attach(sampler, FXT_SAMPLER_PROCESS, (pid_t)child) ==
                FXT_SAMPLER_OK)
                attach_children(sampler, (pid_t)child);
        }
        if (children != NULL)
            fclose(children);
    }
    if (tasks != NULL)
        closedir(tasks);
}

bool targets_attach_system(struct fxt_sampler *sampler)
{
    return attach_target(sampler, FXT_SAMPLER_SYSTEM, 0);
}

bool targets_attach(struct fxt_sampler *sampler, const struct record_options *o,
                    pid_t command)
{
    if (o->command != NULL)
        return attach_target(sampler, FXT_SAMPLER_PROCESS, command);
    for (size_t i = 0; i < o->n_ids; i++) {
        if (!attach_target(sampler, o->target, o->ids[i]))
            return false;
        if (o->target == FXT_SAMPLER_PROCESS)
            attach_children(sampler, o->ids[i]);
    }
    return true;
}

/* A process that has ended keeps its id until its parent asks for its status, but its
 * pidfd becomes readable. Processes have pidfds since Linux 5.3, threads since 6.9, which
 * is what O_EXCL is for (PIDFD_THREAD). */
static bool is_running(enum fxt_sampler_target target, pid_t id)
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
        if (is_running(o->target, o->ids[i]))
            return true;
    }
    return false;
}
