/* SPDX-License-Identifier: BSD-2-Clause */
/* See child_side.h. */
#include "child_side.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The kernel's names are shorter. */
enum { MAX_NAME = 64 };

static char directory[INJECT_DIRECTORY_SIZE + 32];

const char *leave_make_directory(const char *parent)
{
    for (unsigned n = 0; n < 1000; n++) {
        snprintf(directory, sizeof(directory), "%s/%ld.%u", parent, (long)getpid(), n);
        if (mkdir(directory, 0755) == 0)
            return directory;
        if (errno != EEXIST)
            return NULL;
    }
    return NULL;
}

static int open_own(const char *name, int flags)
{
    char path[sizeof(directory) + 16];

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    return open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644);
}

static void write_bytes(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(file, bytes, size);

        if (n < 0 && errno != EINTR)
            return;
        if (n > 0) {
            bytes += n;
            size -= (size_t)n;
        }
    }
}

void leave_maps(void)
{
    char buffer[4096];
    int from = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    int to = open_own("maps", O_TRUNC);
    ssize_t n;

    while (from >= 0 && to >= 0 && (n = read(from, buffer, sizeof(buffer))) > 0)
        write_bytes(to, buffer, (size_t)n);
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
}

/* Reads the name in a file like /proc/PID/comm, with the end of the line. */
static ssize_t read_name(const char *path, char *name, size_t size)
{
    int from = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;

    if (from < 0)
        return -1;
    n = read(from, name, size);
    close(from);
    return n;
}

/* A line is written at once, as other threads write theirs. */
static void leave_line(const char *line, size_t size)
{
    int to = open_own("names", O_APPEND);

    if (to < 0)
        return;
    write_bytes(to, line, size);
    close(to);
}

/* A name, with the end of its line, which a thread has now; 0 is no thread. */
static void leave_name_now(pid_t thread, const char *name, size_t size)
{
    struct timespec now = {0};
    char line[128];
    int start;

    clock_gettime(CLOCK_MONOTONIC, &now);
    start = snprintf(line, sizeof(line) - MAX_NAME, "%ld %" PRIu64 " ", (long)thread,
                     (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
    memcpy(line + start, name, size);
    leave_line(line, (size_t)start + size);
}

void leave_program(void)
{
    static char program[MAX_NAME];
    static size_t size;

    if (size == 0) {
        ssize_t n = read_name("/proc/self/comm", program, sizeof(program));

        size = n > 0 ? (size_t)n : 0;
    }
    if (size > 0)
        leave_name_now(0, program, size);
}

void leave_name(pid_t thread)
{
    char path[64];
    char name[MAX_NAME];
    ssize_t n;

    snprintf(path, sizeof(path), "/proc/self/task/%ld/comm", (long)thread);
    n = read_name(path, name, sizeof(name));
    if (n > 0)
        leave_name_now(thread, name, (size_t)n);
}

void leave_names(void)
{
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *entry;

    while (tasks != NULL && (entry = readdir(tasks)) != NULL) {
        long thread = strtol(entry->d_name, NULL, 10);

        if (thread > 0)
            leave_name((pid_t)thread);
    }
    if (tasks != NULL)
        closedir(tasks);
}

static void write_counts(int to, const struct fxt_sampler_region *region)
{
    const struct fxt_sampler_counts *counts = &region->counts;
    char line[160];

    if (counts->dropped + counts->busy == 0)
        return;
    snprintf(line, sizeof(line),
             "%" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
             region->cpu, counts->dropped, counts->dropped_bytes, counts->busy,
             region->first_drop, region->last_drop);
    write_bytes(to, line, strlen(line));
}

void leave_end(const struct fxt_sampler *session, enum inject_end how)
{
    struct fxt_sampler_counts counts;
    struct fxt_sampler_region region;
    char line[96];
    int to = open_own("end", O_TRUNC);

    if (to < 0)
        return;
    fxt_sampler_count(session, &counts);
    snprintf(line, sizeof(line), "%d %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", (int)how,
             counts.cpu_ns, counts.throttled, counts.merged);
    write_bytes(to, line, strlen(line));
    for (uint32_t i = 0; fxt_sampler_read(session, i, &region) == FXT_SAMPLER_OK; i++)
        write_counts(to, &region);
    close(to);
}
