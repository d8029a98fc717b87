/* SPDX-License-Identifier: BSD-2-Clause */
/* See proc_file.h. */
#include "proc_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"

struct proc_file {
    struct memory_cleanup cleanup;
    FILE *file;
    /* From getline. */
    char *line;
    size_t capacity;
};

static void release_file(void *context)
{
    struct proc_file *file = context;

    if (file->file != NULL)
        fclose(file->file);
    free(file->line);
}

struct proc_file *proc_file_open(const char *path)
{
    struct proc_file *file = memory_allocate(sizeof(*file));

    memory_cleanup_add(&file->cleanup, release_file, file);
    file->file = fopen(path, "re");
    if (file->file != NULL)
        return file;
    proc_file_close(file);
    return NULL;
}

char *proc_file_line(struct proc_file *file)
{
    if (getline(&file->line, &file->capacity, file->file) < 0)
        return NULL;
    file->line[strcspn(file->line, "\n")] = '\0';
    return file->line;
}

void proc_file_close(struct proc_file *file)
{
    memory_cleanup_remove(&file->cleanup);
    release_file(file);
    memory_release(file);
}

struct proc_directory {
    struct memory_cleanup cleanup;
    DIR *directory;
};

static void release_directory(void *context)
{
    const struct proc_directory *d = context;

    if (d->directory != NULL)
        closedir(d->directory);
}

size_t proc_file_list(const char *path, pid_t **ids)
{
    struct proc_directory *d = memory_allocate(sizeof(*d));
    const struct dirent *entry;
    size_t capacity = 0;
    size_t n = 0;

    *ids = NULL;
    memory_cleanup_add(&d->cleanup, release_directory, d);
    d->directory = opendir(path);
    while (d->directory != NULL && (entry = readdir(d->directory)) != NULL) {
        long id = strtol(entry->d_name, NULL, 10);

        if (id <= 0)
            continue;
        *ids = memory_grow(*ids, n, &capacity, sizeof(**ids));
        (*ids)[n++] = (pid_t)id;
    }
    memory_cleanup_remove(&d->cleanup);
    release_directory(d);
    memory_release(d);
    return n;
}
