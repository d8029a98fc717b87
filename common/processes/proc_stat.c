/* SPDX-License-Identifier: BSD-2-Clause */
/* See proc_stat.h. */
#include "proc_stat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name may have any characters; the rest, which follows its last parenthesis, has
 * none. */
bool proc_stat_read(pid_t process, pid_t thread, struct proc_stat *stat)
{
    char path[64];
    char text[1024];
    const char *rest;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%ld/task/%ld/stat", (long)process, (long)thread);
    file = fopen(path, "re");
    if (file == NULL)
        return false;
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    rest = strrchr(text, ')');
    return rest != NULL &&
           sscanf(rest,
                  ") %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
                  "%*d %*d %" SCNu64,
                  &stat->state, &stat->parent, &stat->flags, &stat->start_ticks) == 4;
}

long proc_status_number(pid_t id, const char *name, long otherwise)
{
    size_t size = strlen(name);
    char path[64] = "/proc/self/status";
    char line[256];
    FILE *file;

    if (id != 0)
        snprintf(path, sizeof(path), "/proc/%ld/status", (long)id);
    file = fopen(path, "re");
    if (file == NULL)
        return otherwise;
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, name, size) == 0) {
            otherwise = strtol(line + size, NULL, 10);
            break;
        }
    }
    fclose(file);
    return otherwise;
}
