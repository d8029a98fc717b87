/* SPDX-License-Identifier: BSD-2-Clause */
/* See freeze.h. */
#include "freeze.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/processes/proc_stat.h"

/* How long one thread may take to stop: it may be in the kernel, as after vfork. */
#define STOP_NS (UINT64_C(5) * 1000000000)

static bool has_thread(const struct frozen *frozen, pid_t thread)
{
    for (size_t i = 0; i < frozen->n; i++) {
        if (frozen->threads[i].thread == thread)
            return true;
    }
    return false;
}

/* A thread that has ended, such as a main thread that others have survived, is still in
 * the list, and cannot be attached to. */
static bool has_ended(pid_t process, pid_t thread)
{
    struct proc_stat stat;

    return !proc_stat_read(process, thread, &stat) || proc_stat_has_ended(&stat);
}

/* Returns whether it has stopped; `*is_there` is false if it has ended. */
static bool await_stop(struct frozen_thread *thread, bool *is_there)
{
    const struct timespec pause = {0, 100000};
    uint64_t end = clock_ns(CLOCK_MONOTONIC) + STOP_NS;
    pid_t found;
    int status;

    while ((found = waitpid(thread->thread, &status, __WALL | WNOHANG)) == 0) {
        if (clock_ns(CLOCK_MONOTONIC) > end)
            return false;
        nanosleep(&pause, NULL);
    }
    *is_there = found == thread->thread && WIFSTOPPED(status);
    /* A stop with an event is that of PTRACE_INTERRUPT, or of a process that was stopped
     * before; any other one is a signal's. */
    if (*is_there && status >> 16 == 0)
        thread->signal = WSTOPSIG(status);
    return true;
}

static bool stop_thread(struct frozen *frozen, pid_t process, pid_t thread,
                        struct text *why)
{
    struct frozen_thread added = {thread, 0};
    bool is_there;

    if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0) {
        if (errno == ESRCH || has_ended(process, thread))
            return true;
        return text_fail(why, "process %ld cannot be stopped: %s", (long)process,
                         strerror(errno));
    }
    MEMORY_ADD(frozen->threads, frozen->n, frozen->capacity, added);
    if (ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) != 0 && errno != ESRCH)
        return text_fail(why, "thread %ld cannot be stopped: %s", (long)thread,
                         strerror(errno));
    if (!await_stop(&frozen->threads[frozen->n - 1], &is_there))
        return text_fail(why, "thread %ld does not stop", (long)thread);
    frozen->n -= !is_there;
    return true;
}

/* Stops the threads that are there and were not before; `*n_new` is how many. */
static bool stop_threads(struct frozen *frozen, pid_t process, DIR *directory,
                         size_t *n_new, struct text *why)
{
    const struct dirent *entry;
    size_t before = frozen->n;

    rewinddir(directory);
    while ((entry = readdir(directory)) != NULL) {
        pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);

        if (thread > 0 && !has_thread(frozen, thread) &&
            !stop_thread(frozen, process, thread, why))
            return false;
    }
    *n_new = frozen->n - before;
    return true;
}

/* Threads that run may start others: when there is no new one, all have stopped. */
bool freeze(struct frozen *frozen, pid_t process, struct text *why)
{
    char path[64];
    DIR *directory;
    size_t n_new = 1;
    bool good = true;

    snprintf(path, sizeof(path), "/proc/%ld/task", (long)process);
    directory = opendir(path);
    if (directory == NULL)
        return text_fail(why, "process %ld cannot be stopped: %s", (long)process,
                         strerror(errno));
    while (good && n_new > 0)
        good = stop_threads(frozen, process, directory, &n_new, why);
    closedir(directory);
    if (!good)
        freeze_end(frozen);
    return good;
}

void freeze_end(struct frozen *frozen)
{
    for (size_t i = 0; i < frozen->n; i++)
        ptrace(PTRACE_DETACH, frozen->threads[i].thread, NULL,
               (void *)(intptr_t)frozen->threads[i].signal);
    memory_release(frozen->threads);
    *frozen = (struct frozen){NULL, 0, 0};
}
