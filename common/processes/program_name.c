/* SPDX-License-Identifier: BSD-2-Clause */
/* See proc_read.h: the name of a process that ran before recording began. */
#include "proc_read.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

void program_name_find(pid_t process, const char *thread_name, char *name)
{
    char executable[PATH_SIZE];
    const char *found = thread_name;

    if (!is_in_command_line(process, thread_name) &&
        read_executable(process, executable, sizeof(executable)))
        found = last_component(executable);
    snprintf(name, PROGRAM_NAME_SIZE, "%.*s", PROGRAM_NAME_SIZE - 1, found);
}
