/* SPDX-License-Identifier: BSD-2-Clause */
/* What the process of download.h does. */
#ifndef FXTPROFILE_SYMBOLS_SERVERS_DOWNLOAD_CHILD_H
#define FXTPROFILE_SYMBOLS_SERVERS_DOWNLOAD_CHILD_H

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
