/* SPDX-License-Identifier: BSD-2-Clause */
/* See inject_directory.h. */
#include "inject_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/text.h"

#define PREFIX "fxtrecord-"

/* A process id, which may be used again, does not tell whether a recorder lives: its lock
 * does. */
#define LOCK "lock"
#define NEW_LOCK "lock.new"

/* ---- Making ------------------------------------------------------------------------ */

static void name_file(struct text *path, const char *directory, const char *name)
{
    path->size = 0;
    text_printf(path, "%s/%s", directory, name);
    text_char(path, '\0');
}

/* The file has its name when it is locked: others never see it unlocked. Where nothing
 * can be locked it does not get the name, and the directory of a recorder that is killed
 * stays.
 */
static bool lock_directory(const char *directory, int *lock)
{
    struct text from = {NULL, 0, 0};
    struct text to = {NULL, 0, 0};
    bool good;

    name_file(&from, directory, NEW_LOCK);
    name_file(&to, directory, LOCK);
    *lock = open(from.data, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    good = *lock >= 0 &&
           (flock(*lock, LOCK_EX | LOCK_NB) != 0 || rename(from.data, to.data) == 0);
    text_free(&from);
    text_free(&to);
    return good;
}

bool inject_make_directory(char *directory, size_t size, const char *parent, int *lock)
{
    int name_size = snprintf(directory, size, "%s/" PREFIX "XXXXXX", parent);
    int error;

    errno = ENAMETOOLONG;
    if (name_size < 0 || (size_t)name_size >= size || mkdtemp(directory) == NULL)
        return false;
    if (lock_directory(directory, lock))
        return true;
    error = errno;
    inject_remove_directory(directory);
    errno = error;
    return false;
}

/* ---- Entries ----------------------------------------------------------------------- */

void inject_for_each(const char *directory, inject_entry_fn *take, void *context)
{
    struct dirent **entries;
    int n = scandir(directory, &entries, NULL, versionsort);
    struct text path = {NULL, 0, 0};

    for (int i = 0; i < n; i++) {
        if (entries[i]->d_name[0] != '.') {
            path.size = 0;
            text_printf(&path, "%s/%s", directory, entries[i]->d_name);
            text_char(&path, '\0');
            take(context, path.data, entries[i]->d_name);
        }
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    text_free(&path);
}

/* ---- Removing ---------------------------------------------------------------------- */

static void remove_file(void *context, const char *path, const char *name)
{
    (void)context;
    (void)name;
    unlink(path);
}

void inject_remove_process(const char *path)
{
    inject_for_each(path, remove_file, NULL);
    if (rmdir(path) != 0)
        unlink(path);
}

static void remove_entry(void *context, const char *path, const char *name)
{
    (void)context;
    (void)name;
    inject_remove_process(path);
}

void inject_remove_directory(const char *path)
{
    inject_for_each(path, remove_entry, NULL);
    rmdir(path);
}

/* No other user may have put links into it that lead elsewhere. */
static bool is_private(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* One without the file is not a recorder's, or that of one that begins just now. */
static bool was_left(const char *path)
{
    struct text name = {NULL, 0, 0};
    bool was_locked;
    int lock;

    name_file(&name, path, LOCK);
    lock = open(name.data, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    text_free(&name);
    was_locked = lock < 0 || flock(lock, LOCK_EX | LOCK_NB) != 0;
    if (lock >= 0)
        close(lock);
    return !was_locked;
}

static void remove_if_left(void *context, const char *path, const char *name)
{
    (void)context;
    if (strncmp(name, PREFIX, strlen(PREFIX)) == 0 && is_private(path) && was_left(path))
        inject_remove_directory(path);
}

void inject_remove_left(const char *parent)
{
    inject_for_each(parent, remove_if_left, NULL);
}
