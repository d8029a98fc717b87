/* SPDX-License-Identifier: BSD-2-Clause */
/* See proc_read.h. */
#include "proc_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <fxt/format.h>

#include "proc_file.h"
#include "proc_stat.h"

/* ---- Mappings ---------------------------------------------------------------------- */

static uint32_t parse_flags(const char *letters)
{
    return (letters[0] == 'r' ? FXT_MAPPING_READ : 0u) |
           (letters[1] == 'w' ? FXT_MAPPING_WRITE : 0u) |
           (letters[2] == 'x' ? FXT_MAPPING_EXECUTE : 0u);
}

/* 7f00-8f00 r-xp 00001000 08:01 12345   /usr/bin/name */
bool proc_read_parse_mapping(char *line, struct file_mapping *mapping)
{
    struct file_identity *identity = &mapping->identity;
    char letters[5];
    uint64_t end;
    int name = 0;

    if (sscanf(line,
               "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %" SCNx32 ":%" SCNx32 " %" SCNu64
               " %n",
               &mapping->start, &end, letters, &mapping->offset, &identity->device_major,
               &identity->device_minor, &identity->inode, &name) < 7 ||
        name == 0 || end <= mapping->start)
        return false;
    mapping->length = end - mapping->start;
    mapping->flags = parse_flags(letters);
    mapping->name = line + name;
    return true;
}

bool proc_read_maps(struct process_table *table, pid_t process, const char *path)
{
    struct proc_file *file = proc_file_open(path);
    char *line;

    if (file == NULL)
        return false;
    while ((line = proc_file_line(file)) != NULL) {
        struct file_mapping mapping = {.process = process};

        if (proc_read_parse_mapping(line, &mapping))
            process_table_map(table, &mapping);
    }
    proc_file_close(file);
    return true;
}

void proc_read_code(struct process_table *table, pid_t process)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%ld/maps", (long)process);
    proc_read_maps(table, process, path);
}

/* ---- Names of programs ------------------------------------------------------------- */

/* The kernel's limit, with the zero byte at the end. */
enum { PROGRAM_NAME_SIZE = 16 };

enum { COMMAND_LINE_SIZE = 4096, PATH_SIZE = 4096 };

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* Whether a process that calls exec with a path gets this name. */
static bool exec_would_name(const char *name, const char *path)
{
    return strncmp(last_component(path), name, PROGRAM_NAME_SIZE - 1) == 0;
}

/* The program is the first argument, or, if it is a script, a later one. */
static bool is_in_command_line(pid_t process, const char *name)
{
    char line[COMMAND_LINE_SIZE + 1];
    char path[64];
    bool found = false;
    size_t size;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%ld/cmdline", (long)process);
    file = fopen(path, "re");
    if (file == NULL)
        return false;
    size = fread(line, 1, COMMAND_LINE_SIZE, file);
    fclose(file);
    line[size] = '\0';
    for (size_t at = 0; at < size && !found; at += strlen(line + at) + 1)
        found = exec_would_name(name, line + at);
    return found;
}

static bool read_executable(pid_t process, char *executable, size_t size)
{
    static const char deleted[] = " (deleted)";
    char path[64];
    ssize_t n;

    snprintf(path, sizeof(path), "/proc/%ld/exe", (long)process);
    n = readlink(path, executable, size - 1);
    if (n <= 0)
        return false;
    executable[n] = '\0';
    if ((size_t)n >= sizeof(deleted) &&
        strcmp(executable + n - (sizeof(deleted) - 1), deleted) == 0)
        executable[(size_t)n - (sizeof(deleted) - 1)] = '\0';
    return true;
}

/* Finds the name that the kernel gave a process when it called exec, whose first thread
 * is called `thread_name` now: that name if it is in the command line; otherwise the
 * thread has been renamed, and the name is that of the executable. */
static void find_program(pid_t process, const char *thread_name, char *name)
{
    char executable[PATH_SIZE];
    const char *found = thread_name;

    if (!is_in_command_line(process, thread_name) &&
        read_executable(process, executable, sizeof(executable)))
        found = last_component(executable);
    snprintf(name, PROGRAM_NAME_SIZE, "%.*s", PROGRAM_NAME_SIZE - 1, found);
}

/* ---- Names ------------------------------------------------------------------------- */

static uint64_t last_change(const struct process_entry *entry)
{
    return entry->n_names > 0 ? entry->names[entry->n_names - 1].since_ns : 0;
}

static void add_names(struct process_table *table, pid_t process, pid_t thread,
                      const char *name)
{
    char program[PROGRAM_NAME_SIZE];

    process_table_name_thread(table, process, thread, name,
                              last_change(process_table_thread(table, thread)));
    if (process != thread ||
        process_entry_name(process_table_process(table, process)) != NULL)
        return;
    find_program(process, name, program);
    process_table_name_process(table, process, program, 0);
}

bool proc_read_name(pid_t process, pid_t thread, char *name)
{
    char path[64];
    struct proc_file *file;
    const char *line;

    snprintf(path, sizeof(path), "/proc/%ld/task/%ld/comm", (long)process, (long)thread);
    file = proc_file_open(path);
    if (file == NULL)
        return false;
    line = proc_file_line(file);
    if (line != NULL)
        snprintf(name, PROC_READ_NAME_SIZE, "%s", line);
    proc_file_close(file);
    return line != NULL;
}

void proc_read_thread(struct process_table *table, pid_t process, pid_t thread)
{
    char name[PROC_READ_NAME_SIZE];

    if (proc_read_name(process, thread, name))
        add_names(table, process, thread, name);
}

/* ---- Processes --------------------------------------------------------------------- */

void proc_read_process(struct process_table *table, pid_t process)
{
    char path[64];
    pid_t *threads;
    size_t n;

    snprintf(path, sizeof(path), "/proc/%ld/task", (long)process);
    n = proc_file_list(path, &threads);
    for (size_t i = 0; i < n; i++)
        proc_read_thread(table, process, threads[i]);
    memory_release(threads);
    proc_read_code(table, process);
}

bool proc_read_has_executed(pid_t process)
{
    enum { FORK_NO_EXEC = 0x40 };
    struct proc_stat stat;

    return !proc_stat_read(process, process, &stat) || (stat.flags & FORK_NO_EXEC) == 0;
}

size_t proc_read_list(pid_t **processes)
{
    return proc_file_list("/proc", processes);
}
