/* SPDX-License-Identifier: BSD-2-Clause */
/* See download.h: where there is no libdebuginfod. */
#include "download.h"

#include <errno.h>

bool downloader_start(struct downloader *d)
{
    (void)d;
    errno = ENOSYS;
    return false;
}

bool downloader_ask(struct downloader *d, const char *build_id)
{
    (void)d;
    (void)build_id;
    return false;
}

enum download_state downloader_wait(struct downloader *d, int timeout_ms,
                                    struct download_news *news)
{
    (void)d;
    (void)timeout_ms;
    (void)news;
    return DOWNLOAD_FAILED;
}

void downloader_cancel(struct downloader *d)
{
    (void)d;
}

void downloader_stop(struct downloader *d)
{
    (void)d;
}
