/* SPDX-License-Identifier: BSD-2-Clause */
/* See owner.h. */
#include "owner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- In /proc ---------------------------------------------------------------------- */

bool owner_read_stat(uint64_t process, struct proc_stat *stat)
{
    return process <= INT32_MAX && proc_stat_read((pid_t)process, (pid_t)process, stat);
}

/* MAPPED_UNKNOWN where the mappings cannot be read. */
static enum mapped look_for(const char *table, FILE *maps)
{
    enum mapped found = MAPPED_UNKNOWN;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t size;

    while (found != MAPPED_YES && (size = getline(&line, &capacity, maps)) > 0) {
        const char *slash;

        line[size - 1] = '\0';
        slash = strchr(line, '/');
        found = slash != NULL && strcmp(slash, table) == 0 ? MAPPED_YES : MAPPED_NO;
    }
    free(line);
    fclose(maps);
    return found;
}

/* A first thread that has ended has nothing mapped, while others may run. */
static bool has_other_mapped(struct found_table *table)
{
    char path[320];
    DIR *threads;
    const struct dirent *entry;
    bool found = false;

    snprintf(path, sizeof(path), "/proc/%" PRIu64 "/task", table->head.process);
    threads = opendir(path);
    while (threads != NULL && !found && (entry = readdir(threads)) != NULL) {
        FILE *maps;

        snprintf(path, sizeof(path), "/proc/%" PRIu64 "/task/%s/maps",
                 table->head.process, entry->d_name);
        maps = fopen(path, "re");
        found = maps != NULL && look_for(table->path, maps) == MAPPED_YES;
        if (found)
            table->thread = strtoull(entry->d_name, NULL, 10);
    }
    if (threads != NULL)
        closedir(threads);
    return found;
}

/* Whether the process has the table mapped; one that has executed another program since
 * has not. Without permission to find out, it is assumed to. */
static bool is_mapped_by_owner(struct found_table *table)
{
    char path[64];
    enum mapped found;
    FILE *maps;

    table->thread = table->head.process;
    snprintf(path, sizeof(path), "/proc/%" PRIu64 "/maps", table->head.process);
    maps = fopen(path, "re");
    if (maps == NULL)
        return true;
    found = look_for(table->path, maps);
    return found == MAPPED_YES || (found == MAPPED_UNKNOWN && has_other_mapped(table));
}

/* Of this process, and of /proc, which may be mounted for another one; 0 if these differ
 * or are not known. */
static uint64_t own_namespace(void)
{
    char self[32];
    struct stat status;
    ssize_t size = readlink("/proc/self", self, sizeof(self) - 1);

    self[size > 0 ? size : 0] = '\0';
    if (strtoull(self, NULL, 10) != (uint64_t)getpid() ||
        stat("/proc/self/ns/pid", &status) != 0)
        return 0;
    return status.st_ino;
}

enum found_place owner_find_place(const struct table_head *head)
{
    uint64_t own = own_namespace();

    if (own == 0 || head->pid_namespace == 0)
        return FOUND_PLACE_UNKNOWN;
    return head->pid_namespace == own ? FOUND_HERE : FOUND_ELSEWHERE;
}

void owner_find(struct found_table *table)
{
    struct proc_stat stat;

    if (table->place == FOUND_ELSEWHERE)
        return;
    if (!owner_read_stat(table->head.process, &stat) ||
        stat.start_ticks != table->head.start_ticks)
        return;
    table->is_there = !proc_stat_has_ended(&stat);
    table->is_running = is_mapped_by_owner(table);
}

bool owner_has_file(const struct found_table *table)
{
    char path[64];
    struct stat file;
    struct stat process;

    snprintf(path, sizeof(path), "/proc/%" PRIu64, table->head.process);
    return fstat(file_descriptor(table->file), &file) == 0 &&
           (table->place == FOUND_ELSEWHERE || stat(path, &process) != 0 ||
            file.st_uid == process.st_uid || file.st_uid == 0);
}

/* ---- Leases ------------------------------------------------------------------------ */

enum mapped owner_look_by_lease(int fd)
{
    if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
        return errno == EAGAIN ? MAPPED_YES : MAPPED_UNKNOWN;
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return MAPPED_NO;
}

bool owner_has_mapped(const struct found_table *table)
{
    enum mapped mapped = owner_look_by_lease(file_descriptor(table->file));

    return mapped == MAPPED_YES ||
           (mapped == MAPPED_UNKNOWN && table->place != FOUND_HERE);
}
