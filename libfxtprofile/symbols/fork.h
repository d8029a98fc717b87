/* SPDX-License-Identifier: BSD-2-Clause */
/* A child process in which no signal handler of this one runs. */
#ifndef FXTPROFILE_SYMBOLS_FORK_H
#define FXTPROFILE_SYMBOLS_FORK_H

#include <pthread.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

/* As fork, but all signals are blocked in the child, which has the handlers of this
 * process until it resets them. */
static inline pid_t fork_without_signals(void)
{
    sigset_t all;
    sigset_t before;
    pid_t process;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    process = fork();
    if (process != 0)
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    return process;
}

#endif
