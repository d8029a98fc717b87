/* SPDX-License-Identifier: BSD-2-Clause */
/* What the two sides of download.h send about a download. */
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

#endif
