/* SPDX-License-Identifier: BSD-2-Clause */
/* See run_directory.h. */
#include "run_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libfxtheap/shared/layout.h"

#define NAME_START HEAP_TABLE_NAME ".run."

/* ---- Made -------------------------------------------------------------------------- */

static bool set_path(struct run_directory *run, const char *directory)
{
    run->path = text_format("%s/" NAME_START "XXXXXX", directory);
    if (mkdtemp(run->path) == NULL)
        return false;
    run->keep = text_format("%s/keep", run->path);
    return true;
}

static int open_directory(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/* Programs that root starts may become other users, and need tables then, too. */
static bool is_writable_by_programs(const struct run_directory *run)
{
    return geteuid() != 0 || fchmod(run->lock, 01777) == 0;
}

static bool create_keep(const struct run_directory *run)
{
    int file = open(run->keep, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

    return file >= 0 && close(file) == 0;
}

static bool make_once(struct run_directory *run, const char *directory)
{
    int error;

    if (!set_path(run, directory))
        return false;
    run->lock = open_directory(run->path);
    if (run->lock >= 0 && flock(run->lock, LOCK_EX) == 0 &&
        is_writable_by_programs(run) && create_keep(run))
        return true;
    error = errno;
    if (run->lock >= 0)
        close(run->lock);
    rmdir(run->path);
    errno = error;
    return false;
}

bool run_directory_make(struct run_directory *run, const char *directory,
                        struct text *why)
{
    enum { TRIES = 100 };

    run->lock = -1;
    /* Before it is locked another fxtheap may take it for an abandoned one. */
    for (int i = 0; i < TRIES; i++) {
        if (make_once(run, directory))
            return true;
        if (errno != ENOENT || access(directory, F_OK) != 0)
            break;
    }
    return text_fail(why, "no directory can be made in it: %s", strerror(errno));
}

void run_directory_release(const struct run_directory *run)
{
    unlink(run->keep);
}

void run_directory_end(struct run_directory *run)
{
    run_directory_release(run);
    rmdir(run->path);
    close(run->lock);
}

/* ---- Found ------------------------------------------------------------------------- */

bool run_directory_is(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    struct stat status;

    return strncmp(name, NAME_START, strlen(NAME_START)) == 0 &&
           lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int run_directory_lock(const char *path)
{
    int lock = open_directory(path);

    if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0)
        return lock;
    close(lock);
    return -1;
}

void run_directory_sweep(const char *path, int lock)
{
    unlink(text_format("%s/keep", path));
    rmdir(path);
    close(lock);
}
