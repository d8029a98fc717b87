/* SPDX-License-Identifier: BSD-2-Clause */
/* See gdb_capture.h: a socket as a link of rsp.h. */
#include "gdb_capture.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"

static uint64_t now_ns(void *context)
{
    (void)context;
    return clock_ns(CLOCK_MONOTONIC);
}

/* ---- Connecting -------------------------------------------------------------------- */

/* Waits until a socket is ready. It is polled at least once, since bytes may arrive just
 * at the deadline. But a stub that never stops sending does not keep the user waiting. */
static enum rsp_code await_socket(struct gdb_socket *s, short events, uint64_t until_ns)
{
    for (;;) {
        bool has_stopped = s->stopped_ns != 0;
        struct pollfd polled[2] = {{s->fd, events, 0},
                                   {has_stopped ? -1 : s->stop, POLLIN, 0}};
        uint64_t at = now_ns(NULL);
        uint64_t end_ns = s->stopped_ns + s->grace_ns;
        bool is_cut = s->stop >= 0 && has_stopped && end_ns < until_ns;
        uint64_t wanted_ns = is_cut ? end_ns : until_ns;
        uint64_t left = at < wanted_ns ? wanted_ns - at : 0;
        struct timespec timeout = {(time_t)(left / 1000000000),
                                   (long)(left % 1000000000)};
        int n;

        if (is_cut && left == 0)
            return RSP_INTERRUPTED;
        n = ppoll(polled, 2, &timeout, NULL);
        if (n < 0 && errno != EINTR)
            return RSP_CLOSED;
        if (n > 0 && polled[1].revents != 0)
            s->stopped_ns = at;
        else if (n > 0)
            return RSP_OK;
        else if (n == 0)
            return is_cut ? RSP_INTERRUPTED : RSP_TIMEOUT;
    }
}

/* Connects a new non-blocking socket. Returns false with errno set. */
static bool connect_to(struct gdb_socket *s, int family, const struct sockaddr *address,
                       socklen_t size)
{
    int error = 0;
    socklen_t error_size = sizeof(error);

    s->fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->fd < 0)
        return false;
    if (connect(s->fd, address, size) == 0)
        return true;
    error = errno;
    if (error == EINPROGRESS) {
        error = ETIMEDOUT;
        if (await_socket(s, POLLOUT, now_ns(NULL) + RSP_PATIENCE_NS) == RSP_OK)
            getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &error, &error_size);
    }
    if (error == 0)
        return true;
    close(s->fd);
    s->fd = -1;
    errno = error;
    return false;
}

static bool connect_by_path(struct gdb_socket *s, const char *path, struct text *why)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t size = strlen(path);

    if (size >= sizeof(address.sun_path))
        return text_fail(why, "the path of the socket is too long");
    memcpy(address.sun_path, path, size);
    if (connect_to(s, AF_UNIX, (const struct sockaddr *)&address, sizeof(address)))
        return true;
    return text_fail(why, "%s", strerror(errno));
}

/* Without a host: to this machine, whatever it is called. */
static bool connect_by_name(struct gdb_socket *s, const char *host, const char *port,
                            struct text *why)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *all;
    int one = 1;
    int code = getaddrinfo(host, port, &hints, &all);

    if (code != 0)
        return text_fail(why, "%s", gai_strerror(code));
    errno = EADDRNOTAVAIL;
    for (const struct addrinfo *at = all; at != NULL && s->fd < 0; at = at->ai_next)
        connect_to(s, at->ai_family, at->ai_addr, at->ai_addrlen);
    freeaddrinfo(all);
    if (s->fd < 0)
        return text_fail(why, "%s", strerror(errno));
    /* Packets are small, and each waits for the one before. */
    setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    s->is_tcp = true;
    return true;
}

bool gdb_connect(struct gdb_socket *s, const char *address, struct text *why)
{
    const char *colon = strrchr(address, ':');
    char *host;
    size_t size;

    s->fd = -1;
    if (colon == NULL || strchr(address, '/') != NULL)
        return connect_by_path(s, address, why);
    host = memory_copy_string(address);
    size = (size_t)(colon - address);
    host[size] = '\0';
    /* "[::1]:1234" */
    if (host[0] == '[' && host[size - 1] == ']') {
        memmove(host, host + 1, size - 2);
        host[size - 2] = '\0';
    }
    return connect_by_name(s, host[0] != '\0' ? host : NULL, colon + 1, why);
}

/* ---- The link ---------------------------------------------------------------------- */

/* A stub may send the acknowledgement of a command and the reply separately, and Nagle's
 * algorithm then delays the reply until the acknowledgement is confirmed. TCP_QUICKACK
 * confirms it at once; the kernel resets the option, so it is set repeatedly. */
static void disable_nagle(const struct gdb_socket *s)
{
    int one = 1;

    if (s->is_tcp)
        setsockopt(s->fd, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof(one));
}

static size_t read_bytes(void *context, void *data, size_t size, uint64_t until_ns,
                         enum rsp_code *code)
{
    struct gdb_socket *s = context;

    for (;;) {
        ssize_t n;

        *code = await_socket(s, POLLIN, until_ns);
        if (*code != RSP_OK)
            return 0;
        n = recv(s->fd, data, size, 0);
        if (n > 0) {
            disable_nagle(s);
            return (size_t)n;
        }
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        *code = RSP_CLOSED;
        return 0;
    }
}

static bool write_bytes(void *context, const void *data, size_t size)
{
    struct gdb_socket *s = context;
    uint64_t until_ns = now_ns(NULL) + RSP_PATIENCE_NS;
    const char *at = data;

    while (size > 0) {
        ssize_t n = send(s->fd, at, size, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN && await_socket(s, POLLOUT, until_ns) == RSP_OK)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

struct rsp_link gdb_link(struct gdb_socket *s)
{
    return (struct rsp_link){s, read_bytes, write_bytes, now_ns};
}
