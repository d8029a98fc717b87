/* SPDX-License-Identifier: BSD-2-Clause */
/* See unfinished.h. */
#include "unfinished.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
static void end(int number)
{
    remove_unfinished();
    signal(number, SIG_DFL);
    raise(number);
}

/* Who has had signals ignored, as nohup does, wants that. */
static void watch(void)
{
    static bool is_watching;
    struct sigaction action = {.sa_handler = end};
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

int unfinished_create(char *name)
{
    sigset_t all;
    sigset_t before;
    int fd;

    watch();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    fd = mkstemp(name);
    if (fd >= 0 && strlen(name) < sizeof(unfinished))
        memcpy(unfinished, name, strlen(name) + 1);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return fd;
}

void unfinished_done(void)
{
    sigset_t all;
    sigset_t before;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    unfinished[0] = '\0';
    sigprocmask(SIG_SETMASK, &before, NULL);
}
