/* SPDX-License-Identifier: BSD-2-Clause */
/* See new_file.h. */
#include "new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/text.h"

/* As many symbolic links as the kernel follows. */
enum { LINKS_MAX = 40 };

/* Other than mkstemp's, the file has the mode that any new file has. */
static int create_temporary(char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    enum { TRIES = 100, LETTERS = 6, BITS = 5 };
    char *end = name + strlen(name) - LETTERS;
    int fd = -1;

    for (int i = 0; i < TRIES && fd < 0; i++) {
        uint32_t random = 0;

        if (getrandom(&random, sizeof(random), 0) != sizeof(random))
            return -1;
        for (int at = 0; at < LETTERS; at++, random >>= BITS)
            end[at] = letters[random & ((1U << BITS) - 1)];
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            return -1;
    }
    return fd;
}

static void is_done(void)
{
}

const struct output_maker plain_output_maker = {create_temporary, is_done};

/* What a symbolic link leads to, as seen from where the link is. */
static char *resolve_link(const char *link, const char *target)
{
    const char *slash = strrchr(link, '/');
    struct text path = {NULL, 0, 0};

    if (target[0] != '/' && slash != NULL)
        text_add(&path, link, (size_t)(slash + 1 - link));
    text_str(&path, target);
    text_char(&path, '\0');
    return path.data;
}

/* The name of the file itself, if this is one of a symbolic link to it, whether there is
 * such a file yet or not. Returns NULL, with errno set, if that cannot be found out. */
static char *follow_links(const char *name)
{
    char *path = memory_copy_string(name);

    for (int n = 0; n < LINKS_MAX; n++) {
        char target[PATH_MAX];
        ssize_t size = readlink(path, target, sizeof(target) - 1);
        char *link = path;

        if (size < 0)
            return path;
        target[size] = '\0';
        path = resolve_link(link, target);
        memory_release(link);
    }
    memory_release(path);
    errno = ELOOP;
    return NULL;
}

/* Gives a file the owner of the one whose place it is to take, as far as that is
 * permitted, and its permissions. A group that cannot be kept leaves none to another
 * group that all others do not have. */
static void take_over_mode(int fd, const struct stat *old)
{
    mode_t mode = old->st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);

    if (fchown(fd, old->st_uid, old->st_gid) != 0 &&
        fchown(fd, (uid_t)-1, old->st_gid) != 0)
        mode &= ~(mode_t)S_IRWXG | (mode & S_IRWXO) << 3;
    fchmod(fd, mode);
}

int new_file_create(struct new_file *file, const struct output_maker *maker,
                    const char *name)
{
    struct text temporary = {NULL, 0, 0};
    struct stat old;
    int fd;

    file->name = follow_links(name);
    if (file->name == NULL)
        return -1;
    text_str(&temporary, file->name);
    text_str(&temporary, ".XXXXXX");
    text_char(&temporary, '\0');
    fd = maker->create(temporary.data);
    if (fd < 0) {
        int error = errno;

        text_free(&temporary);
        errno = error;
        return -1;
    }
    if (stat(file->name, &old) == 0)
        take_over_mode(fd, &old);
    file->maker = maker;
    file->temporary = temporary.data;
    return fd;
}

/* The file has its own name, or is gone. */
static void finish(struct new_file *file)
{
    memory_release(file->temporary);
    file->temporary = NULL;
    file->maker->done();
}

bool new_file_rename(struct new_file *file)
{
    if (file->temporary == NULL)
        return true;
    if (rename(file->temporary, file->name) != 0)
        return false;
    finish(file);
    return true;
}

void new_file_remove(const struct new_file *file)
{
    if (file->temporary == NULL)
        return;
    unlink(file->temporary);
    file->maker->done();
}

void new_file_free(struct new_file *file)
{
    memory_release(file->name);
    memory_release(file->temporary);
}
