/* SPDX-License-Identifier: BSD-2-Clause */
/* See inject.h. */
#include "inject.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fxt/sampler.h>

#include "tools/common/program.h"
#include "tools/fxtrecord/files.h"

/* ---- The directory, and those of recorders that were killed ------------------------ */

#define PREFIX "fxtrecord-"

/* A process id, which may be used again, does not tell whether a recorder lives: its lock
 * does. */
#define LOCK "lock"
#define NEW_LOCK "lock.new"

/* The file has its name when it is locked: others never see it unlocked. Where nothing
 * can be locked it does not get the name, and the directory of a recorder that is killed
 * stays. */
static bool lock_directory(const char *directory, int *lock)
{
    const char *from = text_format("%s/" NEW_LOCK, directory);
    const char *to = text_format("%s/" LOCK, directory);

    *lock = open(from, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return *lock >= 0 && (flock(*lock, LOCK_EX | LOCK_NB) != 0 || rename(from, to) == 0);
}

static void remove_entry(void *context, const char *path, const char *name)
{
    (void)context;
    (void)name;
    files_remove(path);
}

static void remove_directory(const char *path)
{
    files_for_each(path, remove_entry, NULL);
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
    int lock = open(text_format("%s/" LOCK, path), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool was_locked = lock < 0 || flock(lock, LOCK_EX | LOCK_NB) != 0;

    if (lock >= 0)
        close(lock);
    return !was_locked;
}

static void remove_if_left(void *context, const char *path, const char *name)
{
    (void)context;
    if (strncmp(name, PREFIX, strlen(PREFIX)) == 0 && is_private(path) && was_left(path))
        remove_directory(path);
}

/* Removes what was left in `parent`, and makes the directory there. Returns false with
 * errno set. */
static bool make_in(struct inject *inject, const char *parent)
{
    char *directory = inject->directory;
    size_t size = sizeof(inject->directory);
    int name_size = snprintf(directory, size, "%s/" PREFIX "XXXXXX", parent);
    int error;

    files_for_each(parent, remove_if_left, NULL);
    errno = ENAMETOOLONG;
    if (name_size < 0 || (size_t)name_size >= size || mkdtemp(directory) == NULL)
        return false;
    if (lock_directory(directory, &inject->lock))
        return true;
    error = errno;
    remove_directory(directory);
    errno = error;
    return false;
}

/* ---- Setting up -------------------------------------------------------------------- */

#define SHARED_OBJECT "libfxtrecord-inject.so"

/* Both separate names in LD_PRELOAD. */
static bool has_separator(const char *path)
{
    return strpbrk(path, " :") != NULL;
}

/* In TMPDIR, or in memory: each program has files for each CPU, most of them empty. */
static bool make_directory(struct inject *inject, struct text *why)
{
    const char *parent = getenv("TMPDIR");
    bool good;

    if (parent != NULL && parent[0] == '/' && !has_separator(parent))
        good = make_in(inject, parent);
    else
        good = make_in(inject, "/dev/shm") || make_in(inject, "/tmp");
    if (good)
        return true;
    text_printf(why, "%s: %s", inject->directory, strerror(errno));
    inject->directory[0] = '\0';
    return false;
}

/* A name without separators, in the directory. Only if there is need: processes that
 * outlive the recording would still look for it. */
static bool make_link(struct inject *inject, struct text *why)
{
    struct text link = {NULL, 0, 0};
    bool good;

    if (!has_separator(inject->preload.data))
        return true;
    text_printf(&link, "%s/" SHARED_OBJECT, inject->directory);
    text_char(&link, '\0');
    good = symlink(inject->preload.data, link.data) == 0;
    if (!good)
        text_printf(why, "%s: %s", link.data, strerror(errno));
    text_free(&inject->preload);
    inject->preload = link;
    return good;
}

static void set_environment(struct inject *inject)
{
    const char *const all[] = {"LD_PRELOAD",
                               inject->preload.data,
                               INJECT_DIRECTORY,
                               inject->directory,
                               INJECT_PERIOD,
                               inject->period,
                               INJECT_BUFFER_SIZE,
                               inject->buffer_size,
                               INJECT_FLAGS,
                               inject->flags,
                               NULL};

    memcpy(inject->environment, all, sizeof(all));
}

bool inject_prepare(struct inject *inject, uint64_t period_ns, uint64_t buffer_size,
                    uint32_t flags, struct text *why)
{
    const char *preloaded = getenv("LD_PRELOAD");

    if (!program_find_file(&inject->preload, SHARED_OBJECT,
                           FXTRECORD_LIBRARY_DIRECTORY "/" SHARED_OBJECT))
        return text_fail(why,
                         "there is no " SHARED_OBJECT ", which --method signal needs");
    if (!make_directory(inject, why) || !make_link(inject, why))
        return false;
    if (preloaded != NULL && preloaded[0] != '\0') {
        inject->preload.data[inject->preload.size - 1] = ':';
        text_add(&inject->preload, preloaded, strlen(preloaded) + 1);
    }
    snprintf(inject->period, sizeof(inject->period), "%" PRIu64, period_ns);
    snprintf(inject->buffer_size, sizeof(inject->buffer_size), "%" PRIu64, buffer_size);
    snprintf(inject->flags, sizeof(inject->flags), "%" PRIu32, flags);
    set_environment(inject);
    return true;
}

/* ---- While it runs ----------------------------------------------------------------- */

struct inject_look {
    struct inject *inject;
    struct process_table *table;
};

static void look_at_process(void *context, const char *path, const char *name)
{
    const struct inject_look *look = context;

    inject_look_at_process(look->inject, look->table, path, name);
}

void inject_look(struct inject *inject, struct process_table *table)
{
    struct inject_look look = {inject, table};

    files_for_each(inject->directory, look_at_process, &look);
    process_table_look_for_all_names(table);
}

/* ---- Afterwards -------------------------------------------------------------------- */

void inject_remove(struct inject *inject)
{
    if (inject->directory[0] != '\0') {
        remove_directory(inject->directory);
        close(inject->lock);
    }
}
