/* SPDX-License-Identifier: BSD-2-Clause */
/* See pager.h. */
#include "pager.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct terminal_size pager_terminal(void)
{
    struct terminal_size size = {.is_terminal = isatty(STDOUT_FILENO) == 1};
    struct winsize window;

    if (size.is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) {
        size.columns = window.ws_col;
        size.lines = window.ws_row;
    }
    return size;
}

static size_t count_lines(const struct text *text)
{
    size_t n = 0;

    for (size_t i = 0; i < text->size; i++)
        n += text->data[i] == '\n';
    return n;
}

/* NULL where none is wanted. */
static const char *find_pager(void)
{
    const char *pager = getenv("PAGER");

    if (pager == NULL)
        return "less";
    return pager[0] == '\0' || strcmp(pager, "cat") == 0 ? NULL : pager;
}

/* In the child. F: less exits if all fits; R: colors; X: the text stays on the screen. */
static _Noreturn void run_pager(const char *pager, int input)
{
    dup2(input, STDIN_FILENO);
    close(input);
    setenv("LESS", "FRX", 0);
    signal(SIGPIPE, SIG_DFL);
    execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
    _exit(127);
}

/* Stops where the user has quit the pager. */
static void write_all(int fd, const struct text *text)
{
    for (size_t at = 0; at < text->size;) {
        ssize_t n = write(fd, text->data + at, text->size - at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        at += (size_t)n;
    }
}

/* Whether the shell has found the pager. */
static bool wait_for(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return true;
    }
    return !(WIFEXITED(status) &&
             (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126));
}

bool pager_show(const struct terminal_size *terminal, const struct text *text)
{
    const char *pager = find_pager();
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction old_pipe;
    struct sigaction old_interrupt;
    int ends[2];
    bool shown;
    pid_t pid;

    if (pager == NULL || terminal->lines == 0 || count_lines(text) < terminal->lines ||
        pipe(ends) != 0)
        return false;
    pid = fork();
    if (pid == 0) {
        close(ends[1]);
        run_pager(pager, ends[0]);
    }
    close(ends[0]);
    if (pid < 0) {
        close(ends[1]);
        return false;
    }
    /* Ctrl-C is for the pager. */
    sigaction(SIGPIPE, &ignore, &old_pipe);
    sigaction(SIGINT, &ignore, &old_interrupt);
    write_all(ends[1], text);
    close(ends[1]);
    shown = wait_for(pid);
    sigaction(SIGPIPE, &old_pipe, NULL);
    sigaction(SIGINT, &old_interrupt, NULL);
    return shown;
}
