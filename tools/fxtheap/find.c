/* SPDX-License-Identifier: BSD-2-Clause */
/* See find.h. */
#include "find.h"

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

#include "common/base/sort.h"
#include "fxtheap.h"
#include "libfxtheap/shared/layout.h"
#include "run_directory.h"
#include "tools/common/report.h"

enum { KEEP_SECONDS = 600 };

/* ---- Files ------------------------------------------------------------------------- */

/* NAME.PID.START, or with one more number, and no other. */
static bool parse_name(const char *name, uint64_t *process, uint64_t *start)
{
    uint64_t more;
    char again[80];
    int n = sscanf(name, HEAP_TABLE_NAME ".%" SCNu64 ".%" SCNu64 ".%" SCNu64, process,
                   start, &more);
    int size;

    if (n < 2)
        return false;
    size = snprintf(again, sizeof(again), HEAP_TABLE_NAME ".%" PRIu64 ".%" PRIu64,
                    *process, *start);
    if (n == 3)
        snprintf(again + size, sizeof(again) - (size_t)size, ".%" PRIu64, more);
    return strcmp(name, again) == 0;
}

static bool open_table(struct found_table *table, const char *name, struct text *why)
{
    uint64_t process;
    uint64_t start;

    parse_name(name, &process, &start);
    table->file = file_open(table->path, why);
    if (table->file == NULL)
        return false;
    if (!table_read_head(table->file, &table->head, why))
        return false;
    table->place = owner_find_place(&table->head);
    if (table->head.process == process && table->head.start_ticks == start &&
        owner_has_file(table))
        return true;
    return text_fail(why, "the table is not of the process in its name");
}

static void close_table(struct found_table *table)
{
    if (table->file != NULL)
        file_close(table->file);
    memory_release(table->path);
}

/* ---- Stale ones -------------------------------------------------------------------- */

/* A process that executes another program gives that one's table the same name. */
bool find_remove(const struct found_table *table)
{
    struct stat opened;
    struct stat named;

    return fstat(file_descriptor(table->file), &opened) == 0 &&
           lstat(table->path, &named) == 0 && named.st_ino == opened.st_ino &&
           named.st_dev == opened.st_dev && unlink(table->path) == 0;
}

/* Removes the table of a process that has ended, when its time has come. */
static bool remove_if_stale(const struct found_table *table, enum find_removal removal)
{
    const struct timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
    int fd = file_descriptor(table->file);
    struct stat status;

    if (removal == FIND_REMOVE_NONE || table->is_running || fstat(fd, &status) != 0 ||
        owner_has_mapped(table))
        return false;
    if (removal == FIND_REMOVE_ENDED)
        return find_remove(table);
    if ((status.st_mode & S_IWUSR) != 0) {
        if (futimens(fd, now) == 0)
            fchmod(fd, S_IRUSR);
        return false;
    }
    return time(NULL) - status.st_mtime > KEEP_SECONDS && find_remove(table);
}

/* A process that was killed while it made its table has left the file without a name for
 * others. One in another PID namespace may be making it. */
static void sweep_unfinished(const char *directory, const char *name)
{
    uint64_t process;
    struct proc_stat stat;
    char *path;
    int fd;

    if (sscanf(name, "." HEAP_TABLE_NAME ".%" SCNu64, &process) != 1 ||
        owner_read_stat(process, &stat))
        return;
    path = text_format("%s/%s", directory, name);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0 && owner_look_by_lease(fd) == MAPPED_NO)
        unlink(path);
    if (fd >= 0)
        close(fd);
    memory_release(path);
}

/* ---- All --------------------------------------------------------------------------- */

/* A symbolic link might lead to any other file. */
static bool is_regular(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static void take_entry(struct found *found, const char *directory, const char *name,
                       enum find_removal removal)
{
    struct found_table table = {.path = NULL};
    struct text why = {NULL, 0, 0};
    uint64_t numbers[2];

    if (!parse_name(name, &numbers[0], &numbers[1])) {
        if (removal != FIND_REMOVE_NONE)
            sweep_unfinished(directory, name);
        return;
    }
    table.path = text_format("%s/%s", directory, name);
    if (!is_regular(table.path)) {
        close_table(&table);
        return;
    }
    if (open_table(&table, name, &why)) {
        owner_find(&table);
        if (!remove_if_stale(&table, removal)) {
            MEMORY_ADD(found->all, found->n, found->capacity, table);
            table = (struct found_table){.path = NULL};
        }
    } else if (access(table.path, R_OK) == 0) {
        complain_text(FXTHEAP_PROGRAM, table.path, &why);
        found->n_damaged++;
    } else {
        found->n_others += errno == EACCES;
    }
    close_table(&table);
    text_free(&why);
}

/* Tables that another fxtheap collects are left to it. */
static void take_run(struct found *found, const char *path, enum find_removal removal)
{
    int lock = removal != FIND_REMOVE_NONE ? run_directory_lock(path) : -1;
    DIR *entries = opendir(path);
    const struct dirent *entry;

    found->n_others += entries == NULL && errno == EACCES;
    while (entries != NULL && (entry = readdir(entries)) != NULL)
        take_entry(found, path, entry->d_name, lock >= 0 ? removal : FIND_REMOVE_NONE);
    if (entries != NULL)
        closedir(entries);
    if (lock >= 0)
        run_directory_sweep(path, lock);
}

static void take_entries(struct found *found, const char *directory, DIR *entries,
                         enum find_removal removal)
{
    const struct dirent *entry;

    while ((entry = readdir(entries)) != NULL) {
        char *path = text_format("%s/%s", directory, entry->d_name);

        if (run_directory_is(path))
            take_run(found, path, removal);
        else
            take_entry(found, directory, entry->d_name, removal);
        memory_release(path);
    }
    closedir(entries);
}

SORT_ORDER(order_tables, struct found_table, BY(head.process) || BY(head.start_ticks));

bool find_tables(struct found *found, const char *directory, enum find_removal removal)
{
    char *whole = realpath(directory, NULL);
    DIR *entries = whole != NULL ? opendir(whole) : NULL;

    if (entries == NULL) {
        complain(FXTHEAP_PROGRAM, directory, "%s", strerror(errno));
        free(whole);
        return false;
    }
    take_entries(found, whole, entries, removal);
    free(whole);
    SORT(found->all, found->n, order_tables);
    return true;
}

/* ---- Names ------------------------------------------------------------------------- */

static const char *program_name(const struct found_table *table)
{
    const char *slash = strrchr(table->head.program, '/');

    return slash != NULL ? slash + 1 : table->head.program;
}

const char *found_name(const struct found_table *table)
{
    return table->head.name[0] != '\0' ? table->head.name : program_name(table);
}

bool found_is_named(const struct found_table *table, const char *name)
{
    return strcmp(table->head.name, name) == 0 || strcmp(program_name(table), name) == 0;
}

void found_free(struct found *found)
{
    for (size_t i = 0; i < found->n; i++)
        close_table(&found->all[i]);
    memory_release(found->all);
    *found = (struct found){NULL, 0, 0, 0, 0};
}
