/* SPDX-License-Identifier: BSD-2-Clause */
/* See tracepoint.h. */
#include "tracepoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Linux 5.2; the numbers are the same on all machines. */
#ifndef SYS_fsopen
#define SYS_fsopen 430
#define SYS_fsconfig 431
#define SYS_fsmount 432
#endif

enum { CREATE_SUPERBLOCK = 6, CLOSE_ON_EXEC = 1, FORMAT_BYTES_MAX = 4096 };

#define WAKING "events/sched/sched_waking"

/* Returns the root directory of a tracefs that is mounted nowhere, or -1. */
static int open_own_tracefs(void)
{
    int context = (int)syscall(SYS_fsopen, "tracefs", CLOSE_ON_EXEC);
    int root = -1;

    if (context < 0)
        return -1;
    if (syscall(SYS_fsconfig, context, CREATE_SUPERBLOCK, NULL, NULL, 0) == 0)
        root = (int)syscall(SYS_fsmount, context, CLOSE_ON_EXEC, 0);
    close(context);
    return root;
}

static int open_directory(void)
{
    static const char *const mounted[] = {"/sys/kernel/tracing/" WAKING,
                                          "/sys/kernel/debug/tracing/" WAKING};
    int directory = -1;
    int root;

    for (size_t i = 0; directory < 0 && i < sizeof(mounted) / sizeof(*mounted); i++)
        directory = open(mounted[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0)
        return directory;
    root = open_own_tracefs();
    if (root < 0)
        return -1;
    directory = openat(root, WAKING, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    close(root);
    return directory;
}

/* Reads a file into `to` as a string. */
static bool read_file(int directory, const char *name, char *to, size_t size)
{
    int file = openat(directory, name, O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    ssize_t n_read = 1;

    if (file < 0)
        return false;
    while (n_read > 0 && n < size - 1) {
        n_read = read(file, to + n, size - 1 - n);
        n += n_read > 0 ? (size_t)n_read : 0;
    }
    close(file);
    to[n] = '\0';
    return n_read >= 0;
}

/* A line such as "field:pid_t pid;	offset:24;	size:4;	signed:1;". */
static bool find_field(const char *format, const char *name, uint32_t *offset)
{
    const char *at = strstr(format, name);
    unsigned size;

    if (at != NULL &&
        sscanf(at + strlen(name), " offset:%u; size:%u;", offset, &size) == 2 &&
        size == 4)
        return true;
    errno = ENOTSUP;
    return false;
}

static bool read_waking(int directory, struct tracepoint *waking)
{
    char id[32];
    char format[FORMAT_BYTES_MAX];

    if (!read_file(directory, "id", id, sizeof(id)) ||
        !read_file(directory, "format", format, sizeof(format)))
        return false;
    waking->id = strtoull(id, NULL, 10);
    return waking->id > 0 &&
           find_field(format, "field:pid_t pid;", &waking->thread_offset) &&
           find_field(format, "field:int target_cpu;", &waking->cpu_offset);
}

bool tracepoint_find_waking(struct tracepoint *waking)
{
    int directory = open_directory();
    bool is_found;
    int error;

    if (directory < 0)
        return false;
    is_found = read_waking(directory, waking);
    error = errno;
    close(directory);
    errno = error;
    return is_found;
}
