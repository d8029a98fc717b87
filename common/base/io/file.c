/* SPDX-License-Identifier: BSD-2-Clause */
/* See file.h. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
    struct memory_cleanup cleanup;
    int fd;
    /* Instead of a file, in a test. */
    const unsigned char *memory;
    uint64_t size;
    /* NULL if it is not mapped. */
    void *map;
    size_t map_size;
};

struct file *file_from_memory(const void *data, size_t size)
{
    struct file *file = memory_allocate(sizeof(*file));

    file->fd = -1;
    file->memory = (const unsigned char *)data;
    file->size = size;
    return file;
}

static void release_file(void *context)
{
    const struct file *file = (const struct file *)context;

    if (file->map != NULL)
        munmap(file->map, file->map_size);
    if (file->fd >= 0)
        close(file->fd);
}

/* Opening a device can have side effects, and opening a pipe is visible to its other end:
 * the type of the file must be known first. A descriptor with O_PATH opens nothing, but
 * refers to the same file until that is opened for reading through /proc. Where this is
 * not possible, the name may refer to another file by the time it is opened, and opening
 * must at least not block. */
static int open_regular(const char *name, bool follows, struct stat *status)
{
    enum { FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };
    int no_follow = follows ? 0 : O_NOFOLLOW;
    int fd = -1;
#ifdef O_PATH
    char link[32];
    int path = open(name, O_PATH | O_CLOEXEC | no_follow);

    if (path < 0)
        return -1;
    if (fstat(path, status) == 0 && S_ISREG(status->st_mode)) {
        snprintf(link, sizeof(link), "/proc/self/fd/%d", path);
        fd = open(link, FLAGS);
    }
    close(path);
#endif
    if (fd < 0 && (follows ? stat : lstat)(name, status) == 0 && S_ISREG(status->st_mode))
        fd = open(name, FLAGS | no_follow);
    if (fd >= 0 && fstat(fd, status) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Opens it; returns false, with the reason added to `why`, if it cannot be used. */
static bool take_file(struct file *file, const char *name, const uid_t *owner,
                      struct text *why)
{
    struct stat status = {.st_mode = S_IFREG};

    file->fd = open_regular(name, owner == NULL, &status);
    if (!S_ISREG(status.st_mode))
        return text_fail(why, "not a regular file");
    if (file->fd < 0)
        return text_fail(why, "%s", strerror(errno));
    if (owner != NULL && status.st_uid != *owner)
        return text_fail(why, "belongs to another user");
    file->size = (uint64_t)status.st_size;
    return true;
}

static struct file *open_file(const char *name, const uid_t *owner, struct text *why)
{
    struct file *file = memory_allocate(sizeof(*file));

    file->fd = -1;
    memory_cleanup_add(&file->cleanup, release_file, file);
    if (take_file(file, name, owner, why))
        return file;
    file_close(file);
    return NULL;
}

struct file *file_open(const char *name, struct text *why)
{
    return open_file(name, NULL, why);
}

struct file *file_open_owned(const char *name, uid_t owner, struct text *why)
{
    return open_file(name, &owner, why);
}

void file_close(struct file *file)
{
    memory_cleanup_remove(&file->cleanup);
    release_file(file);
    memory_release(file);
}

int file_descriptor(const struct file *file)
{
    return file->fd;
}

void *file_map(struct file *file)
{
    void *map = MAP_FAILED;

    if (file->map == NULL && file->fd >= 0 && file->size <= SIZE_MAX)
        map = mmap(NULL, (size_t)file->size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_NORESERVE, file->fd, 0);
    if (map != MAP_FAILED) {
        file->map = map;
        file->map_size = (size_t)file->size;
    }
    return file->map;
}

void file_unload(struct file *file)
{
    if (file->map != NULL)
        madvise(file->map, file->map_size, MADV_DONTNEED);
}

uint64_t file_size(const struct file *file)
{
    return file->size;
}

void file_refresh(struct file *file)
{
    struct stat status;

    if (file->fd >= 0 && fstat(file->fd, &status) == 0)
        file->size = (uint64_t)status.st_size;
}

bool file_read(struct file *file, uint64_t offset, void *to, size_t size)
{
    char *at = (char *)to;

    if (size > file->size || offset > file->size - size)
        return false;
    if (file->memory != NULL) {
        memcpy(to, file->memory + offset, size);
        return true;
    }
    while (size > 0) {
        ssize_t n = pread(file->fd, at, size, (off_t)offset);

        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        if (n > 0) {
            at += n;
            offset += (uint64_t)n;
            size -= (size_t)n;
        }
    }
    return true;
}
