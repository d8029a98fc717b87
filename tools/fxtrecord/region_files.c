/* SPDX-License-Identifier: BSD-2-Clause */
/* See region_files.h. */
#include "region_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/memory.h"

enum { PAGE = 4096 };

static struct region_file *find_file(struct region_files *files, uint32_t cpu)
{
    for (size_t i = 0; i < files->n; i++) {
        if (files->all[i].cpu == cpu)
            return &files->all[i];
    }
    return NULL;
}

static struct region_file *add_file(struct region_files *files, uint32_t cpu)
{
    struct region_file *file = find_file(files, cpu);

    if (file != NULL)
        return file;
    MEMORY_ADD(files->all, files->n, files->capacity, (struct region_file){cpu, 0});
    return &files->all[files->n - 1];
}

void region_files_add(struct region_files *files, uint32_t cpu)
{
    add_file(files, cpu);
}

/* ---- Writing ----------------------------------------------------------------------- */

/* Files of an earlier recording are replaced. */
static int open_file(const struct region_files *files, const struct region_file *file)
{
    int flags = file->size == 0 ? O_TRUNC : O_APPEND;
    char *name = text_format("%s/cpu%u.bin", files->directory, (unsigned)file->cpu);
    int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);

    memory_release(name);
    return fd;
}

static bool write_bytes(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, data, size);

        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            data += n;
            size -= (size_t)n;
        }
    }
    return true;
}

/* What cannot be written whole is not written. */
static bool append(const struct region_files *files, struct region_file *file,
                   const void *data, size_t size, struct text *why)
{
    int fd = open_file(files, file);
    bool good = fd >= 0 && write_bytes(fd, data, size);

    if (!good)
        text_str(why, strerror(errno));
    if (good)
        file->size += size;
    else if (fd >= 0 && ftruncate(fd, (off_t)file->size) != 0)
        text_str(why, "; a record is cut");
    if (fd >= 0)
        close(fd);
    return good;
}

bool region_files_append(struct region_files *files, const struct filled_regions *block,
                         struct text *why)
{
    for (size_t i = 0; i < block->n; i++) {
        const struct filled_region *region = &block->all[i];

        if (region->size > 0 && !append(files, add_file(files, region->cpu), region->data,
                                        (size_t)region->size, why))
            return false;
    }
    return true;
}

bool region_files_end(const struct region_files *files, struct text *why)
{
    static const char zeros[PAGE];
    bool good = true;

    for (size_t i = 0; good && i < files->n; i++)
        good = append(files, &files->all[i], zeros,
                      (size_t)(PAGE - files->all[i].size % PAGE), why);
    return good;
}

/* ---- Removing ---------------------------------------------------------------------- */

void region_files_remove_others(const struct region_files *files)
{
    DIR *directory = opendir(files->directory);
    const struct dirent *entry;

    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        unsigned cpu;
        int end = 0;
        bool is_kept = false;

        if (sscanf(entry->d_name, "cpu%u.bin%n", &cpu, &end) != 1 || end == 0 ||
            entry->d_name[end] != '\0')
            continue;
        for (size_t i = 0; i < files->n; i++)
            is_kept = is_kept || files->all[i].cpu == cpu;
        if (!is_kept)
            unlinkat(dirfd(directory), entry->d_name, 0);
    }
    if (directory != NULL)
        closedir(directory);
}
