/* SPDX-License-Identifier: BSD-2-Clause */
/* See download_news.h: the process of download.h. */
#include "download_news.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <elfutils/debuginfod.h>

#include "common/base/dynamic_symbol.h"

/* How often it is looked whether to stop, though no byte comes. */
enum { TICK_US = 50000 };

/* More than any debug file: Chromium's has 2 GB. */
static const uint64_t MAX_BYTES = (uint64_t)8 << 30;

struct library {
    debuginfod_client *(*begin)(void);
    int (*find)(debuginfod_client *, const unsigned char *, int, char **);
    void (*set_progress)(debuginfod_client *, debuginfod_progressfn_t);
    const char *(*get_url)(debuginfod_client *);
};

/* The library's callback has no other way to these. */
static struct library library;
static int parent;
static struct download_news news;
static bool is_stopped;
static bool is_too_large;

/* ---- The library ------------------------------------------------------------------- */

static bool load_library(void)
{
    void *handle = dlopen("libdebuginfod.so.1", RTLD_NOW);

    return handle != NULL &&
           dynamic_symbol_find(handle, "debuginfod_begin", &library.begin) &&
           dynamic_symbol_find(handle, "debuginfod_find_debuginfo", &library.find) &&
           dynamic_symbol_find(handle, "debuginfod_set_progressfn",
                               &library.set_progress) &&
           dynamic_symbol_find(handle, "debuginfod_get_url", &library.get_url);
}

/* The last two directories of a path, which need not be there, such as ~/.cache and the
 * cache in it. The library creates only one, and takes a cache that cannot be there for
 * servers that have no file. */
static bool make_directories(char *path)
{
    char *slash = strrchr(path, '/');
    struct stat status;

    if (slash != NULL && slash > path) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0777);
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Where its manual page says that the cache is; it uses this from here on, too. Returns
 * false if there can be none. */
static bool settle_cache(void)
{
    const char *home = getenv("HOME");
    const char *xdg = getenv("XDG_CACHE_HOME");
    const char *given = getenv("DEBUGINFOD_CACHE_PATH");
    char path[PATH_MAX];
    struct stat status;

    if (given != NULL && given[0] != '\0') {
        snprintf(path, sizeof(path), "%s", given);
        return make_directories(path);
    }
    if (home == NULL)
        home = "/";
    snprintf(path, sizeof(path), "%s/.debuginfod_client_cache", home);
    if (stat(path, &status) != 0 && xdg != NULL && xdg[0] != '\0')
        snprintf(path, sizeof(path), "%s/debuginfod_client", xdg);
    else if (stat(path, &status) != 0)
        snprintf(path, sizeof(path), "%s/.cache/debuginfod_client", home);
    setenv("DEBUGINFOD_CACHE_PATH", path, 1);
    return make_directories(path);
}

/* In version 0.188 the library takes a download that was stopped for a file that no
 * server has, and gdb would not request it for ten minutes, either. */
static void forget_absence(const char *build_id)
{
    char path[PATH_MAX];
    struct stat status;

    snprintf(path, sizeof(path), "%s/%s/debuginfo", getenv("DEBUGINFOD_CACHE_PATH"),
             build_id);
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0)
        unlink(path);
}

/* ---- Downloads --------------------------------------------------------------------- */

static void send_news(int flags)
{
    send(parent, &news, sizeof(news), MSG_NOSIGNAL | flags);
}

/* Until a server has begun to send the file, the first number counts calls. */
static int take_progress(debuginfod_client *client, long n_bytes, long total)
{
    struct pollfd event = {.fd = parent, .events = POLLIN};
    uint64_t before = news.n_bytes;

    if (n_bytes > 0 && library.get_url(client) != NULL)
        news.n_bytes = (uint64_t)n_bytes;
    news.total = total > 0 ? (uint64_t)total : 0;
    if (news.n_bytes != before)
        send_news(MSG_DONTWAIT);
    is_too_large |= news.n_bytes > MAX_BYTES || news.total > MAX_BYTES;
    is_stopped |= is_too_large || poll(&event, 1, 0) > 0;
    return is_stopped;
}

/* A length of 0 says that a build id is in hex. */
static void download(debuginfod_client *client, const char *build_id)
{
    char *path = NULL;
    int fd;

    memset(&news, 0, sizeof(news));
    is_stopped = false;
    is_too_large = false;
    fd = library.find(client, (const unsigned char *)build_id, 0, &path);
    if (fd >= 0)
        close(fd);
    news.error = fd < 0 ? -fd : 0;
    if (fd < 0 && is_stopped) {
        forget_absence(build_id);
        news.error = is_too_large ? EFBIG : ECANCELED;
    }
    if (path != NULL && strlen(path) < sizeof(news.path))
        strcpy(news.path, path);
    free(path);
    news.has_ended = true;
    send_news(0);
}

static void serve(debuginfod_client *client)
{
    char build_id[NAME_MAX + 1];
    ssize_t n;

    for (;;) {
        n = recv(parent, build_id, sizeof(build_id) - 1, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        build_id[n] = '\0';
        /* It was to stop a download that had ended. */
        if (build_id[0] != '\0')
            download(client, build_id);
    }
}

/* ---- The process ------------------------------------------------------------------- */

static void ignore_tick(int number)
{
    (void)number;
}

/* Handlers are the parent's. What ends that from a terminal, or together with its group,
 * leaves this process time to clean up. */
static void reset_signals(void)
{
    static const int ignored[] = {SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM};
    struct sigaction tick = {.sa_handler = ignore_tick};
    sigset_t none;

    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
        signal(ignored[i], SIG_IGN);
    sigaction(SIGALRM, &tick, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Others wait for the end of what is open in the parent. Standard error stays, for
 * DEBUGINFOD_VERBOSE. */
static void close_files(int socket)
{
    int null = open("/dev/null", O_RDWR);

    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    parent = dup2(socket, STDERR_FILENO + 1);
#ifdef SYS_close_range
    syscall(SYS_close_range, parent + 1, ~0U, 0);
#endif
}

/* The library's waits end at each signal. Where that is not so they end after a second.
 */
static void start_ticks(void)
{
    const struct itimerval tick = {{0, TICK_US}, {0, TICK_US}};

    setitimer(ITIMER_REAL, &tick, NULL);
}

/* Answers the first request: the parent could not send it to a process that has ended. */
_Noreturn static void end_with(int error)
{
    char ignored;

    while (recv(parent, &ignored, 1, 0) < 0 && errno == EINTR)
        continue;
    news = (struct download_news){.has_ended = true, .error = error};
    send_news(0);
    _exit(EXIT_FAILURE);
}

_Noreturn void download_child_run(int socket)
{
    debuginfod_client *client;

    close_files(socket);
    reset_signals();
    if (!settle_cache())
        end_with(ENOTDIR);
    /* One request is enough. */
    setenv("DEBUGINFOD_RETRY_LIMIT", "0", 0);
    client = load_library() ? library.begin() : NULL;
    if (client == NULL)
        end_with(ENOSYS);
    library.set_progress(client, take_progress);
    start_ticks();
    serve(client);
    _exit(EXIT_SUCCESS);
}
