/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that are not complete: who writes to one has a shared lock (flock(2)) on it, and
 * who takes whole files, to move or to remove them, leaves those that have such locks.
 * The kernel ends the locks of a process that ends, however it does.
 */
#ifndef BASE_IO_FILE_LOCK_H
#define BASE_IO_FILE_LOCK_H

#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <unistd.h>

/* Until this descriptor, and all copies of it, are closed. */
static inline bool file_lock_fd(int fd)
{
    return flock(fd, LOCK_SH | LOCK_NB) == 0;
}

/* Returns a descriptor that has nothing but the lock, or -1. */
static inline int file_lock_share(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0 || file_lock_fd(fd))
        return fd;
    close(fd);
    return -1;
}

/* Whether no other descriptor has a lock on it; then this one has the only lock. Where
 * files cannot be locked, none is complete. */
static inline bool file_lock_alone(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

#endif
