/* SPDX-License-Identifier: BSD-2-Clause */
/* See archives.h. */
#include "archives.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/io/file_lock.h"
#include "common/base/memory.h"
#include "common/base/parse.h"
#include "common/base/sort.h"
#include "tools/common/output_name.h"
#include "tools/common/report.h"

enum { LEAST_DIGITS = 4, NAMES_ASIDE = 100, DIGITS_MAX = 20 };

static const char aside[] = ".unreadable";

/* ---- Names ------------------------------------------------------------------------- */

/* How much of a name's first bytes is before a suffix; 0 if it has another one. */
static size_t size_before(const char *name, size_t size, const char *suffix)
{
    size_t n = strlen(suffix);

    return size > n && memcmp(name + size - n, suffix, n) == 0 ? size - n : 0;
}

static bool is_numbered(const char *name, size_t size)
{
    size_t n = 0;

    while (n < size && isdigit((unsigned char)name[size - 1 - n]))
        n++;
    return n >= LEAST_DIGITS && size > n + 1 && name[size - 1 - n] == '.';
}

/* Whether it is a name that fxtrecord --rotate gives: NAME.0001.fxt, with more digits or
 * compressed. */
static bool is_name(const char *name, size_t size)
{
    size_t stem = size_before(name, size, ".fxt");

    if (stem == 0)
        stem = size_before(name, size, ".fxt.zst");
    return stem > 0 && is_numbered(name, stem);
}

/* NAME.unreadable, or NAME.N.unreadable. */
static bool is_name_aside(const char *name, size_t whole_size)
{
    size_t size = size_before(name, whole_size, aside);
    size_t stem = size;

    while (stem > 0 && isdigit((unsigned char)name[stem - 1]))
        stem--;
    return is_name(name, size) ||
           (stem > 1 && name[stem - 1] == '.' && is_name(name, stem - 1));
}

/* Takes a dot and a number off the end of a name. */
static bool take_number(const char *name, size_t *size, uint64_t *number)
{
    size_t start = *size;
    char digits[DIGITS_MAX + 1] = {0};

    while (start > 0 && isdigit((unsigned char)name[start - 1]))
        start--;
    if (start == 0 || name[start - 1] != '.' || *size - start > DIGITS_MAX)
        return false;
    memcpy(digits, name + start, *size - start);
    *size = start - 1;
    return parse_u64(digits, number);
}

static bool read_dropped_name(struct archive *archive, const char *name)
{
    size_t size = size_before(name, strlen(name), DROPPED_SUFFIX);

    return take_number(name, &size, &archive->time_ns) &&
           take_number(name, &size, &archive->dropped_bytes) &&
           (is_name(name, size) || is_name_aside(name, size));
}

/* ---- The list ---------------------------------------------------------------------- */

static bool fail(const struct archives *a)
{
    return complain(a->program, a->directory, "%s", strerror(errno));
}

bool archives_open(struct archives *a, const char *program, const char *directory)
{
    *a = (struct archives){.program = program, .directory = directory};
    a->fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return a->fd >= 0 || fail(a);
}

static void add_entry(struct archives *a, const char *name, bool complains)
{
    struct archive archive = {.is_aside = is_name_aside(name, strlen(name))};
    struct stat status;

    archive.is_dropped = read_dropped_name(&archive, name);
    if ((!archive.is_aside && !archive.is_dropped && !is_name(name, strlen(name))) ||
        fstatat(a->fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    archive.path = text_format("%s/%s", a->directory, name);
    if (!S_ISREG(status.st_mode)) {
        if (complains)
            complain(a->program, archive.path, "is not a regular file: skipped");
        memory_release(archive.path);
        return;
    }
    archive.name = memory_copy_string(name);
    archive.size = (uint64_t)status.st_size;
    if (!archive.is_dropped)
        archive.time_ns = file_time_ns(&status);
    MEMORY_ADD(a->all, a->n, a->capacity, archive);
}

SORT_ORDER(order_archives, struct archive,
           BY(time_ns) || BY_ORDER(strcmp(a->name, b->name)));

static void clear(struct archives *a)
{
    for (size_t i = 0; i < a->n; i++) {
        memory_release(a->all[i].name);
        memory_release(a->all[i].path);
    }
    a->n = 0;
}

/* Each listing has a place in the directory, and so needs a separate descriptor. */
bool archives_list(struct archives *a, bool complains)
{
    int fd = openat(a->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;

    clear(a);
    if (list == NULL)
        return fail(a);
    while ((entry = readdir(list)) != NULL)
        add_entry(a, entry->d_name, complains);
    closedir(list);
    SORT(a->all, a->n, order_archives);
    return true;
}

void archives_free(struct archives *a)
{
    clear(a);
    memory_release(a->all);
    if (a->fd >= 0)
        close(a->fd);
}

/* ---- One of them ------------------------------------------------------------------- */

/* A file that is being written is none that can be opened, for now. */
static bool is_complete(int fd, struct stat *status)
{
    return fstat(fd, status) == 0 && S_ISREG(status->st_mode) && file_lock_alone(fd);
}

int archive_open(const struct archives *a, const struct archive *archive,
                 struct stat *status, struct text *why)
{
    int fd = openat(a->fd, archive->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0 && errno != ENOENT)
        text_str(why, strerror(errno));
    if (fd < 0 || is_complete(fd, status))
        return fd;
    close(fd);
    return -1;
}

const char *archive_change(const struct archives *a, const struct archive *archive,
                           const struct stat *before)
{
    struct stat now;

    if (fstatat(a->fd, archive->name, &now, AT_SYMLINK_NOFOLLOW) != 0)
        return "was removed by another program while it was read";
    if (now.st_dev != before->st_dev || now.st_ino != before->st_ino ||
        now.st_size != before->st_size || file_time_ns(&now) != file_time_ns(before))
        return "has changed while it was read: stays, to be sent again";
    return NULL;
}

bool archive_remove(const struct archives *a, const struct archive *archive)
{
    return unlinkat(a->fd, archive->name, 0) == 0 || errno == ENOENT;
}

/* Nothing that is there is replaced: fxtrecord may give a name again. */
bool archive_set_aside(const struct archives *a, const struct archive *archive)
{
    bool is_linked = false;

    for (int n = 1; !is_linked && n <= NAMES_ASIDE; n++) {
        struct text name = {NULL, 0, 0};

        text_str(&name, archive->name);
        if (n > 1)
            text_printf(&name, ".%d", n);
        text_str(&name, aside);
        text_char(&name, '\0');
        is_linked = linkat(a->fd, archive->name, a->fd, name.data, 0) == 0;
        text_free(&name);
        if (!is_linked && errno != EEXIST)
            return false;
    }
    return is_linked && archive_remove(a, archive);
}

/* Empties a file; or removes it, if that is not possible. */
static bool empty_file(int directory, const char *name)
{
    int fd =
        openat(directory, name, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return unlinkat(directory, name, 0) == 0;
    close(fd);
    return true;
}

/* One that was renamed before, and not emptied, has its name. */
bool archive_drop(const struct archives *a, const struct archive *archive)
{
    struct text name = {NULL, 0, 0};
    bool is_dropped;

    if (archive->is_dropped)
        text_add(&name, archive->name, strlen(archive->name) + 1);
    else
        dropped_name(&name, archive->name, archive->size, archive->time_ns);
    if (renameat(a->fd, archive->name, a->fd, name.data) == 0)
        is_dropped = empty_file(a->fd, name.data);
    else
        is_dropped = archive_remove(a, archive);
    text_free(&name);
    return is_dropped;
}
