/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The root directories of processes, where they are not ours: the kernel reports a file's
 * path in the root directory of the process, as in a container, which may have ended
 * before the file could be opened.
 */
#ifndef PROCESSES_ROOT_DIRECTORIES_H
#define PROCESSES_ROOT_DIRECTORIES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct root_directory;

/* All zero is none. */
struct root_directories {
    struct root_directory *first;
    size_t n;
};

/* Keeps the root directory of a process, if it is a new one, up to a bound. */
void root_directories_add(struct root_directories *roots, pid_t process);

/* Opens the regular file of an inode at a path in one of them, with O_PATH. Returns -1 if
 * there is none. */
int root_directories_open(const struct root_directories *roots, const char *path,
                          uint64_t inode);

#endif
