/* SPDX-License-Identifier: BSD-2-Clause */
/* See command.h. */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* As shells have them. */
enum { STATUS_NOT_FOUND = 127, STATUS_NOT_RUN = 126, STATUS_SIGNAL = 128 };

/* What fxtrecord ignores and its command may not. */
static const int ignored[] = {SIGPIPE, SIGXFSZ};
enum { N_IGNORED = sizeof(ignored) / sizeof(ignored[0]) };
static struct sigaction before[N_IGNORED];

void command_ignore_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_IGN};

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < N_IGNORED; i++)
        sigaction(ignored[i], &action, &before[i]);
}

/* Says what went wrong. */
static void give_up(int failure, int error)
{
    if (write(failure, &error, sizeof(error)) < 0)
        _exit(STATUS_NOT_RUN);
    _exit(error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUN);
}

/* What is printed goes to standard error. Where that is closed its number may be that of
 * a file of this program's own, all of which are closed in others; then it goes nowhere.
 */
static bool leave_output(void)
{
    int flags = fcntl(STDERR_FILENO, F_GETFD);
    int to = STDERR_FILENO;

    if (flags < 0 || (flags & FD_CLOEXEC) != 0)
        to = open("/dev/null", O_WRONLY | O_CLOEXEC);
    return to >= 0 && dup2(to, STDOUT_FILENO) >= 0;
}

/* Returns false at the end, or on an error. */
static bool read_byte(int from)
{
    char byte;
    ssize_t n;

    do
        n = read(from, &byte, 1);
    while (n < 0 && errno == EINTR);
    return n == 1;
}

/* Sends a byte to `go` when only exec is left to do, so that nothing else of this is
 * recorded, and waits for one from it; at its end the recorder gave up or was killed, and
 * the program is not run. Errors are reported through `failure`, which exec closes. */
static void exec_command(char *const *arguments, const char *const *const *environments,
                         bool leaves_output, int go, int failure)
{
    const char ready = 0;
    sigset_t none;

    if (leaves_output && !leave_output())
        give_up(failure, errno);
    for (size_t i = 0; i < N_IGNORED; i++)
        sigaction(ignored[i], &before[i], NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (; *environments != NULL; environments++) {
        for (const char *const *pair = *environments; pair[0] != NULL; pair += 2)
            setenv(pair[0], pair[1], 1);
    }
    if (send(go, &ready, 1, MSG_NOSIGNAL) != 1 || !read_byte(go))
        _exit(STATUS_NOT_RUN);
    execvp(arguments[0], arguments);
    give_up(failure, errno);
}

bool command_prepare(struct command *command, char *const *arguments,
                     const char *const *const *environments, bool leaves_output)
{
    int go[2];
    int failure[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go) != 0)
        return false;
    if (pipe2(failure, O_CLOEXEC) != 0) {
        close(go[0]);
        close(go[1]);
        return false;
    }
    command->process = fork();
    if (command->process == 0) {
        close(go[1]);
        exec_command(arguments, environments, leaves_output, go[0], failure[1]);
    }
    close(go[0]);
    close(failure[1]);
    if (command->process < 0) {
        command->process = 0;
        close(go[1]);
        close(failure[0]);
        return false;
    }
    /* If it has given up, that is read later. */
    read_byte(go[1]);
    command->go = go[1];
    command->failure = failure[0];
    return true;
}

bool command_run(struct command *command)
{
    const char byte = 0;
    int error = 0;
    ssize_t n;

    /* If it has been killed, its status shows that. */
    send(command->go, &byte, 1, MSG_NOSIGNAL);
    close(command->go);
    do
        n = read(command->failure, &error, sizeof(error));
    while (n < 0 && errno == EINTR);
    close(command->failure);
    command->has_run = true;
    if (n != (ssize_t)sizeof(error))
        return true;
    command_look(command, true);
    errno = error;
    return false;
}

void command_give_up(struct command *command)
{
    if (command->process == 0 || command->has_ended)
        return;
    if (command->has_run) {
        kill(command->process, SIGTERM);
        return;
    }
    close(command->go);
    close(command->failure);
}

void command_look(struct command *command, bool wait)
{
    pid_t ended;

    if (command->process == 0 || command->has_ended)
        return;
    do
        ended = waitpid(command->process, &command->status, wait ? 0 : WNOHANG);
    while (ended < 0 && errno == EINTR);
    command->has_ended = ended != 0;
}

int command_status(const struct command *command)
{
    if (WIFSIGNALED(command->status))
        return STATUS_SIGNAL + WTERMSIG(command->status);
    return WEXITSTATUS(command->status);
}
