/* SPDX-License-Identifier: BSD-2-Clause */
/* See thread_list.h. */
#include "thread_list.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "common/base/memory.h"
#include "common/base/sort.h"

static enum disturbance judge_thread(pid_t process, pid_t thread)
{
    char path[80];
    long call = -1;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%ld/task/%ld/syscall", (long)process,
             (long)thread);
    file = fopen(path, "re");
    if (file == NULL)
        return DISTURBED_LITTLE;
    if (fscanf(file, "%ld", &call) != 1)
        call = -1;
    fclose(file);
    switch (call) {
    case SYS_read:
    case SYS_futex:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_accept:
    case SYS_accept4:
    case SYS_pause:
    case SYS_rt_sigsuspend:
        return DISTURBED_LEAST;
    case -1:
        return DISTURBED_LITTLE;
    default:
        return DISTURBED_MORE;
    }
}

SORT_ORDER(order_threads, struct listed_thread, BY(disturbance) || BY(id));

size_t thread_list(pid_t process, struct listed_thread **threads)
{
    char path[64];
    size_t capacity = 0;
    size_t n = 0;
    const struct dirent *entry;
    DIR *entries;

    snprintf(path, sizeof(path), "/proc/%ld/task", (long)process);
    *threads = NULL;
    entries = opendir(path);
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        pid_t id = (pid_t)strtol(entry->d_name, NULL, 10);

        if (id <= 0)
            continue;
        *threads = memory_grow(*threads, n, &capacity, sizeof(**threads));
        (*threads)[n++] = (struct listed_thread){id, judge_thread(process, id)};
    }
    if (entries != NULL)
        closedir(entries);
    SORT(*threads, n, order_threads);
    return n;
}
