/* SPDX-License-Identifier: BSD-2-Clause */
/* See record_run.h: what is to be recorded, attached to a session. */
#include "record_run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "failure.h"

/* ---- Control groups ---------------------------------------------------------------- */

/* Another directory may have the name of a control group, such as that of the root. */
static int open_directory(const char *path)
{
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (directory < 0 || faccessat(directory, "cgroup.procs", F_OK, 0) == 0)
        return directory;
    close(directory);
    errno = ENOENT;
    return -1;
}

static bool is_version_1(const struct mntent *mount)
{
    return strcmp(mount->mnt_type, "cgroup") == 0 &&
           hasmntopt(mount, "perf_event") != NULL;
}

/* Where perf events look for control groups: version 1, if it has perf_event, or version
 * 2. Adds nothing if there is neither. */
static void find_hierarchy(struct text *path)
{
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    const struct mntent *mount;

    while (mounts != NULL && (mount = getmntent(mounts)) != NULL) {
        bool is_first = is_version_1(mount);

        if (!is_first && (path->size > 0 || strcmp(mount->mnt_type, "cgroup2") != 0))
            continue;
        path->size = 0;
        text_str(path, mount->mnt_dir);
        if (is_first)
            break;
    }
    if (mounts != NULL)
        endmntent(mounts);
}

/* Opens the directory of a control group: a path such as /sys/fs/cgroup/system.slice, or
 * one below the hierarchy that perf events use; /proc/PID/cgroup has names that begin
 * with a slash, too. Returns -1 with errno set. */
static int open_cgroup(const char *name)
{
    struct text path = {NULL, 0, 0};
    int directory = name[0] == '/' ? open_directory(name) : -1;

    if (directory >= 0)
        return directory;
    find_hierarchy(&path);
    if (path.size == 0) {
        errno = ENOENT;
        return -1;
    }
    text_printf(&path, "/%s", name);
    text_char(&path, '\0');
    return open_directory(path.data);
}

/* ---- Attaching --------------------------------------------------------------------- */

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

static bool attach_cgroup(struct fxt_sampler *sampler, const char *name)
{
    int directory = open_cgroup(name);
    enum fxt_sampler_code code;

    if (directory < 0)
        return failure_report(name, errno == ENOENT ? "there is no such control group"
                                                    : strerror(errno));
    code = fxt_sampler_attach(sampler, FXT_SAMPLER_CGROUP, directory);
    close(directory);
    if (code == FXT_SAMPLER_OK || code == FXT_SAMPLER_E_ATTACHED)
        return true;
    if (code == FXT_SAMPLER_E_SUPPORT)
        return failure_report(
            name, "not a control group that perf events can be limited to: the directory "
                  "has to be in the cgroup2 hierarchy or, with version 1, in perf_event");
    return failure_report_code(name, code);
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

static bool attach_all(struct fxt_sampler *sampler, const struct record_options *o,
                       enum fxt_sampler_target kind)
{
    for (size_t i = 0; i < o->n_targets; i++) {
        const struct record_target *target = &o->targets[i];

        if (target->kind != kind)
            continue;
        if (kind == FXT_SAMPLER_CGROUP ? !attach_cgroup(sampler, target->name)
                                       : !attach_target(sampler, kind, target->id))
            return false;
        if (kind == FXT_SAMPLER_PROCESS)
            attach_children(sampler, target->id);
    }
    return true;
}

/* Threads come after processes, which may have them already. */
bool targets_attach(struct fxt_sampler *sampler, const struct record_options *o,
                    pid_t command)
{
    if (o->is_system)
        return true;
    return attach_all(sampler, o, FXT_SAMPLER_CGROUP) &&
           (o->command == NULL || attach_target(sampler, FXT_SAMPLER_PROCESS, command)) &&
           attach_all(sampler, o, FXT_SAMPLER_PROCESS) &&
           attach_all(sampler, o, FXT_SAMPLER_THREAD);
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

/* What runs in a control group, or in all of the system, never ends. */
bool targets_exist(const struct record_options *o)
{
    bool has_ended = !o->is_system;

    for (size_t i = 0; i < o->n_targets; i++) {
        const struct record_target *target = &o->targets[i];

        has_ended = has_ended && target->kind != FXT_SAMPLER_CGROUP &&
                    !is_running(target->kind, target->id);
    }
    return !has_ended;
}
