/* SPDX-License-Identifier: BSD-2-Clause */
/* What the two sides of download.h share: what is sent about a download, and the child.
 */
#ifndef FXTPROFILE_SYMBOLS_SERVERS_DOWNLOAD_NEWS_H
#define FXTPROFILE_SYMBOLS_SERVERS_DOWNLOAD_NEWS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct download_news {
    uint64_t n_bytes;
    /* 0 if it is not known. */
    uint64_t total;
    bool has_ended;
    /* An error of errno.h: ENOENT if the servers do not have the file, ENOSYS if there is
     * no libdebuginfod. 0 if it is at the path. */
    int error;
    char path[PATH_MAX];
};

/*
 * Downloads the files whose build ids come from the socket, as one packet each, and sends
 * a struct download_news about each download at times and when it ends. A packet that
 * comes before that stops it. Ends when the other side has closed the socket, which is
 * noticed at any time: whatever ended the parent, nothing incomplete is left.
 *
 * To be called after fork with all signals blocked. The parent may have other threads, so
 * nothing here takes a lock that they could hold, but for the library's loader: if that
 * hangs, the parent kills this process.
 */
_Noreturn void download_child_run(int socket);

#endif
