/* SPDX-License-Identifier: BSD-2-Clause */
/* See root_directories.h. */
#include "root_directories.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/memory.h"

enum { ROOT_DIRECTORIES_MAX = 64 };

struct root_directory {
    struct memory_cleanup cleanup;
    struct root_directory *next;
    int file;
    dev_t device;
    ino_t inode;
};

static bool is_known(const struct root_directories *roots, const struct stat *status)
{
    struct stat ours = {0};

    if (stat("/", &ours) != 0 ||
        (ours.st_dev == status->st_dev && ours.st_ino == status->st_ino))
        return true;
    for (const struct root_directory *root = roots->first; root; root = root->next) {
        if (root->device == status->st_dev && root->inode == status->st_ino)
            return true;
    }
    return false;
}

static void close_root(void *context)
{
    const struct root_directory *root = context;

    close(root->file);
}

static void keep(struct root_directories *roots, int file, const struct stat *status)
{
    struct root_directory *root = memory_allocate(sizeof(*root));

    root->file = file;
    root->device = status->st_dev;
    root->inode = status->st_ino;
    root->next = roots->first;
    memory_cleanup_add(&root->cleanup, close_root, root);
    roots->first = root;
    roots->n++;
}

void root_directories_add(struct root_directories *roots, pid_t process)
{
    char path[64];
    struct stat status = {0};
    int file;

    snprintf(path, sizeof(path), "/proc/%ld/root", (long)process);
    if (roots->n == ROOT_DIRECTORIES_MAX || stat(path, &status) != 0 ||
        is_known(roots, &status))
        return;
    file = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return;
    if (fstat(file, &status) == 0 && !is_known(roots, &status))
        keep(roots, file, &status);
    else
        close(file);
}

/* A symbolic link in it leads to what it does for the processes there. */
static int open_in(int root, const char *path)
{
    struct open_how how = {
        .flags = O_PATH | O_CLOEXEC,
        .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
    };

    return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

int root_directories_open(const struct root_directories *roots, const char *path,
                          uint64_t inode)
{
    for (const struct root_directory *root = roots->first; root; root = root->next) {
        int file = open_in(root->file, path);
        struct stat status = {0};

        if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
            status.st_ino == inode)
            return file;
        if (file >= 0)
            close(file);
    }
    return -1;
}
