/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See output.h: what programs write to. If the program ends before the file is whole, by
 * exit() or by a signal that ends programs, it is removed.
 *
 * A program writes one such file at a time, since a signal handler has no context to
 * find more in; which is why there is no object.
 */
#include "output.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What ends a program from outside, or for what it does to the world outside. */
static const int endings[] = {SIGHUP,  SIGINT,  SIGPIPE, SIGQUIT,
                              SIGTERM, SIGXCPU, SIGXFSZ};

enum { N_ENDINGS = sizeof(endings) / sizeof(endings[0]) };

/* A copy of the file's name, for which no memory is needed when it counts; empty where
 * there is none. Only changed while signals are blocked. */
static char unfinished[FILENAME_MAX];
/* A child that was not yet another program has the name, too, but it is not its file. */
static pid_t owner;

static void remove_unfinished(void)
{
    if (unfinished[0] != '\0' && getpid() == owner)
        unlink(unfinished);
}

/* The program ends as if there were no handler: its status shows that a signal was the
 * reason. This one is blocked until the handler returns. */
static void end_on_signal(int number)
{
    remove_unfinished();
    signal(number, SIG_DFL);
    raise(number);
}

/* Signals that are ignored, as by nohup, stay ignored. */
static void catch_signals(void)
{
    static bool is_watching;
    struct sigaction action = {.sa_handler = end_on_signal};
    struct sigaction before;

    if (is_watching)
        return;
    is_watching = true;
    owner = getpid();
    atexit(remove_unfinished);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < N_ENDINGS; i++) {
        if (sigaction(endings[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(endings[i], &action, NULL);
    }
}

/* Makes an empty file, as mkstemp does. */
static int create_unfinished(char *name)
{
    sigset_t all;
    sigset_t before;
    int fd;

    catch_signals();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    fd = mkstemp(name);
    if (fd >= 0 && strlen(name) < sizeof(unfinished))
        memcpy(unfinished, name, strlen(name) + 1);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return fd;
}

/* The file has its own name, or is gone: nothing is to be removed any more. */
static void forget_unfinished(void)
{
    sigset_t all;
    sigset_t before;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    unfinished[0] = '\0';
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* The mode that a file newly created in the ordinary way would have. */
static mode_t default_mode(void)
{
    mode_t mask = umask(0);

    umask(mask);
    return 0666 & ~mask;
}

static int create_output(char *name)
{
    int fd = create_unfinished(name);

    if (fd >= 0)
        fchmod(fd, default_mode());
    return fd;
}

static const struct output_maker maker = {create_output, forget_unfinished};

struct output *output_open(const char *name, bool binary, struct text *why)
{
    if (name != NULL && strcmp(name, "-") != 0)
        return output_open_with(&maker, name, why);
    if (binary && isatty(STDOUT_FILENO)) {
        text_str(why, "binary output is not written to a terminal: use -o FILE");
        return NULL;
    }
    return output_standard();
}
