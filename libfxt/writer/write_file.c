/* SPDX-License-Identifier: BSD-2-Clause */
/* See writer_state.h: a file that a writer opened, and closes. */
#define _POSIX_C_SOURCE 200809L
#include "writer_state.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool write_file_open(struct write_file *file, const char *path)
{
    file->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return file->fd >= 0;
}

/* The system may write a part only, such as what still fits on a disk; the rest then has
 * its own result. */
int write_file_write(void *context, const void *data, size_t size)
{
    struct write_file *file = (struct write_file *)context;
    const char *at = (const char *)data;

    while (size > 0) {
        ssize_t n = write(file->fd, at, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            file->error = n < 0 ? errno : EIO;
            errno = file->error;
            return -1;
        }
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

/* After EINTR the descriptor is closed on Linux, and on others it is not known whether it
 * is: another thread may have it already, so it is not closed again. */
bool write_file_close(struct write_file *file)
{
    int fd = file->fd;

    file->fd = -1;
    if (fd < 0 || close(fd) == 0 || errno == EINTR)
        return true;
    if (file->error == 0)
        file->error = errno;
    return false;
}
