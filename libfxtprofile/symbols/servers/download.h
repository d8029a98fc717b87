/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that downloads debug files with libdebuginfod, one after the other: it can be
 * stopped at any time, whatever the library waits for, and its many dependencies are
 * loaded only there. Files are in the library's cache, as those of gdb are.
 */
#ifndef FXTPROFILE_SYMBOLS_SERVERS_DOWNLOAD_H
#define FXTPROFILE_SYMBOLS_SERVERS_DOWNLOAD_H

#include <stdbool.h>
#include <sys/types.h>

#include "download_news.h"

/* All zero is one that was not started. */
struct downloader {
    pid_t process;
    int socket;
};

enum download_state {
    /* Some bytes were received, or nothing has happened for as long as was waited. */
    DOWNLOAD_GOES_ON,
    /* The file is there, or there is none. */
    DOWNLOAD_ENDED,
    /* The process ended. */
    DOWNLOAD_FAILED,
};

/* Returns false, with errno set, if there can be no process. */
bool downloader_start(struct downloader *downloader);

/* Requests the debug file of a build id in hex. The one before it must have ended. */
bool downloader_ask(struct downloader *downloader, const char *build_id);

/* Waits until there is news, or for so long. Without any, the old ones stay. */
enum download_state downloader_wait(struct downloader *downloader, int timeout_ms,
                                    struct download_news *news);

/* Stops the download: it ends as others do, and soon. */
void downloader_cancel(struct downloader *downloader);

/* Stops the process, too, which was started or was not; it removes what is incomplete. */
void downloader_stop(struct downloader *downloader);

#endif
