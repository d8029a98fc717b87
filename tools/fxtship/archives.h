/* SPDX-License-Identifier: BSD-2-Clause */
/* The archives in a directory. Names there may be anything, and files may come and go. */
#ifndef FXTSHIP_ARCHIVES_H
#define FXTSHIP_ARCHIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "common/base/text.h"

struct archive {
    /* In the directory; and with it, for messages and for opening. */
    char *name;
    char *path;
    uint64_t size;
    /* When it was last written to. */
    uint64_t time_ns;
    /* It was set aside, see archive_set_aside. */
    bool is_aside;
    /* It was dropped: what is left is an empty file, and this is how large it was. */
    bool is_dropped;
    uint64_t dropped_bytes;
};

struct archives {
    const char *program;
    const char *directory;
    int fd;
    /* The oldest first. */
    struct archive *all;
    size_t n;
    size_t capacity;
};

/* Opens the directory. Returns false, with the reason printed, on failure. The list is
 * empty at first. */
bool archives_open(struct archives *archives, const char *program, const char *directory);

/* Lists all archives. Complains of what has the name of one and is no regular file, if
 * `complains`. Returns false, with the reason printed, on failure. */
bool archives_list(struct archives *archives, bool complains);

void archives_free(struct archives *archives);

/* Opens an archive, which is complete and stays so while it is open: see file_lock.h. One
 * that is not, or no longer there, is -1; so is one that cannot be opened, with the
 * reason in `why`. */
int archive_open(const struct archives *archives, const struct archive *archive,
                 struct stat *status, struct text *why);

/* What has become of an archive that was opened; NULL if the name is still that of the
 * file, which is as it was. */
const char *archive_change(const struct archives *archives, const struct archive *archive,
                           const struct stat *status);

/* Each returns false, with the reason in errno, on failure. */

/* Gives the file another name, NAME.unreadable, which is not sent. */
bool archive_set_aside(const struct archives *archives, const struct archive *archive);

/* Removes all of the file but its size and time, which are in its new name until that is
 * removed; at any moment one of both is there. Where that name is too long, the file is
 * removed. */
bool archive_drop(const struct archives *archives, const struct archive *archive);

bool archive_remove(const struct archives *archives, const struct archive *archive);

#endif
