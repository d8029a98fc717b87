/* SPDX-License-Identifier: BSD-2-Clause */
/* See download.h: the parent's side. */
#include "download.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libfxtprofile/symbols/fork.h"
#include "download_news.h"

/* How long the process has to remove what is incomplete. */
enum { END_STEP_MS = 10, END_STEPS = 30 };

bool downloader_start(struct downloader *d)
{
    int ends[2];
    int reason;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    d->process = fork_without_signals();
    if (d->process == 0)
        download_child_run(ends[1]);
    reason = errno;
    close(ends[1]);
    d->socket = ends[0];
    if (d->process > 0)
        return true;
    close(d->socket);
    d->process = 0;
    errno = reason;
    return false;
}

bool downloader_ask(struct downloader *d, const char *build_id)
{
    return send(d->socket, build_id, strlen(build_id), MSG_NOSIGNAL) > 0;
}

void downloader_cancel(struct downloader *d)
{
    send(d->socket, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

enum download_state downloader_wait(struct downloader *d, int timeout_ms,
                                    struct download_news *news)
{
    struct pollfd event = {.fd = d->socket, .events = POLLIN};
    struct download_news next;
    ssize_t n;

    if (poll(&event, 1, timeout_ms) <= 0)
        return DOWNLOAD_GOES_ON;
    n = recv(d->socket, &next, sizeof(next), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return DOWNLOAD_GOES_ON;
    if (n != (ssize_t)sizeof(next))
        return DOWNLOAD_FAILED;
    *news = next;
    news->path[sizeof(news->path) - 1] = '\0';
    return news->has_ended ? DOWNLOAD_ENDED : DOWNLOAD_GOES_ON;
}

/* The process ends when it sees that its socket is closed, unless the library hangs. */
void downloader_stop(struct downloader *d)
{
    const struct timespec step = {.tv_nsec = END_STEP_MS * 1000000};
    pid_t ended = 0;

    if (d->process <= 0)
        return;
    close(d->socket);
    for (int i = 0; i < END_STEPS && ended == 0; i++) {
        ended = waitpid(d->process, NULL, WNOHANG);
        if (ended == 0)
            nanosleep(&step, NULL);
    }
    if (ended == 0) {
        kill(d->process, SIGKILL);
        while (waitpid(d->process, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    d->process = 0;
}
