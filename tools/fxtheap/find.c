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

#include "fxtheap.h"
#include "libfxtheap/shared/layout.h"
#include "run_directory.h"
#include "tools/common/report.h"

enum { KEEP_SECONDS = 600 };

/* ---- Processes --------------------------------------------------------------------- */

/* Field 22 of /proc/PID/stat, counted from after the name, and whether the first thread
 * has ended; false if there is no such process. */
static bool read_start(uint64_t process, uint64_t *start, bool *has_ended)
{
    char path[64];
    char line[1024];
    const char *at;
    FILE *file;
    size_t size;

    snprintf(path, sizeof(path), "/proc/%" PRIu64 "/stat", process);
    file = fopen(path, "re");
    if (file == NULL)
        return false;
    size = fread(line, 1, sizeof(line) - 1, file);
    fclose(file);
    line[size] = '\0';
    at = strrchr(line, ')');
    *has_ended = at != NULL && (strncmp(at, ") Z", 3) == 0 || strncmp(at, ") X", 3) == 0);
    return at != NULL &&
           sscanf(at,
                  ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
                  "%*d %*d %*d %" SCNu64,
                  start) == 1;
}

enum mapped { MAPPED_NO, MAPPED_YES, MAPPED_UNKNOWN };

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
static bool has_mapped(struct found_table *table)
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

static enum found_place find_place(const struct table_head *head)
{
    uint64_t own = own_namespace();

    if (own == 0 || head->pid_namespace == 0)
        return FOUND_PLACE_UNKNOWN;
    return head->pid_namespace == own ? FOUND_HERE : FOUND_ELSEWHERE;
}

static void find_process(struct found_table *table)
{
    bool has_ended;
    uint64_t start;

    if (table->place == FOUND_ELSEWHERE)
        return;
    if (!read_start(table->head.process, &start, &has_ended) ||
        start != table->head.start_ticks)
        return;
    table->is_there = !has_ended;
    table->is_running = has_mapped(table);
}

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

/* Another user might have put a table there for a process that is not theirs. */
static bool is_owners(const struct found_table *table)
{
    char path[64];
    struct stat file;
    struct stat process;

    snprintf(path, sizeof(path), "/proc/%" PRIu64, table->head.process);
    return fstat(file_descriptor(table->file), &file) == 0 &&
           (table->place == FOUND_ELSEWHERE || stat(path, &process) != 0 ||
            file.st_uid == process.st_uid || file.st_uid == 0);
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
    table->place = find_place(&table->head);
    if (table->head.process == process && table->head.start_ticks == start &&
        is_owners(table))
        return true;
    text_str(why, "the table is not of the process in its name");
    return false;
}

static void close_table(struct found_table *table)
{
    if (table->file != NULL)
        file_close(table->file);
    memory_release(table->path);
}

/* ---- Stale ones -------------------------------------------------------------------- */

/* The kernel grants no lease for reading on a file that is open for writing, or mapped
 * so. None is granted for the files of others, without privileges, or on some file
 * systems: then the answer is MAPPED_UNKNOWN. */
static enum mapped look_by_lease(int fd)
{
    if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
        return errno == EAGAIN ? MAPPED_YES : MAPPED_UNKNOWN;
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return MAPPED_NO;
}

bool find_is_mapped(const struct found_table *table)
{
    enum mapped mapped = look_by_lease(file_descriptor(table->file));

    return mapped == MAPPED_YES ||
           (mapped == MAPPED_UNKNOWN && table->place != FOUND_HERE);
}

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
        find_is_mapped(table))
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
    struct text path = {NULL, 0, 0};
    uint64_t process;
    uint64_t start;
    bool has_ended;
    int fd;

    if (sscanf(name, "." HEAP_TABLE_NAME ".%" SCNu64, &process) != 1 ||
        read_start(process, &start, &has_ended))
        return;
    text_printf(&path, "%s/%s", directory, name);
    text_char(&path, '\0');
    fd = open(path.data, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0 && look_by_lease(fd) == MAPPED_NO)
        unlink(path.data);
    if (fd >= 0)
        close(fd);
    text_free(&path);
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
    struct text path = {NULL, 0, 0};
    struct text why = {NULL, 0, 0};
    uint64_t numbers[2];

    if (!parse_name(name, &numbers[0], &numbers[1])) {
        if (removal != FIND_REMOVE_NONE)
            sweep_unfinished(directory, name);
        return;
    }
    text_printf(&path, "%s/%s", directory, name);
    text_char(&path, '\0');
    table.path = path.data;
    if (!is_regular(table.path)) {
        close_table(&table);
        return;
    }
    if (open_table(&table, name, &why)) {
        find_process(&table);
        if (!remove_if_stale(&table, removal)) {
            found->all =
                memory_grow(found->all, found->n, &found->capacity, sizeof(table));
            found->all[found->n++] = table;
            table = (struct found_table){.path = NULL};
        }
    } else if (access(table.path, R_OK) == 0) {
        complain(FXTHEAP_PROGRAM, table.path, "%.*s", (int)why.size, why.data);
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
    struct text path = {NULL, 0, 0};
    const struct dirent *entry;

    while ((entry = readdir(entries)) != NULL) {
        path.size = 0;
        text_printf(&path, "%s/%s", directory, entry->d_name);
        text_char(&path, '\0');
        if (run_directory_is(path.data))
            take_run(found, path.data, removal);
        else
            take_entry(found, directory, entry->d_name, removal);
    }
    closedir(entries);
    text_free(&path);
}

static int order_tables(const void *left, const void *right)
{
    const struct table_head *a = &((const struct found_table *)left)->head;
    const struct table_head *b = &((const struct found_table *)right)->head;

    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return (a->start_ticks > b->start_ticks) - (a->start_ticks < b->start_ticks);
}

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
    if (found->n > 0)
        qsort(found->all, found->n, sizeof(*found->all), order_tables);
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
