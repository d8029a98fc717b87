/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs to be attached to whose threads are at inconvenient places, and that exit with
 * 0 if none was disturbed:
 *
 *     heap_hold loader    nothing is loaded until the first line of standard input
 *     heap_hold late      the same; until then the first thread cannot stop
 *     heap_hold table     from the first line to the second a thread stays in libfxtheap,
 *                         and the first one cannot stop
 *
 * Each prints "ready", and "held" if a line makes it so.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "await_line.h"

static int pipe_ends[2];

/* As await_line, in the kernel, where tracers cannot stop it. */
static void await_line_late(void)
{
    pid_t child = vfork();

    if (child == 0) {
        await_line();
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static int hold_loader(struct dl_phdr_info *info, size_t size, void *await)
{
    void (*wait)(void);

    (void)info;
    (void)size;
    memcpy(&wait, await, sizeof(wait));
    puts("ready");
    wait();
    return 1;
}

static void *wait_for_holder(void *argument)
{
    char c;

    if (read(pipe_ends[0], &c, 1) != 0)
        fail("read was interrupted");
    return argument;
}

/* Where a thread is disturbed as much as one in vfork, which is tried first. */
static void *wait_after_late(void *argument)
{
    struct epoll_event event = {.events = EPOLLIN};
    int file = epoll_create1(0);

    epoll_ctl(file, EPOLL_CTL_ADD, pipe_ends[0], &event);
    while (epoll_wait(file, &event, 1, -1) < 0 && errno == EINTR)
        continue;
    return argument;
}

/* The loader's lock is held while modules are listed. Two other threads wait, and can be
 * made to call something. */
static void run_holder(void *(*run)(void *), void (*await)(void))
{
    pthread_t threads[2];

    if (pipe(pipe_ends) != 0)
        fail("no pipe");
    for (int i = 0; i < 2; i++) {
        if (pthread_create(&threads[i], NULL, run, NULL) != 0)
            fail("no thread");
    }
    dl_iterate_phdr(hold_loader, &await);
    await_line();
    close(pipe_ends[1]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static int is_held;

/* Until the pipe is closed, if a function of libfxtheap was interrupted. */
static void hold_call(int number, siginfo_t *from, void *context)
{
    Dl_info module = {.dli_fname = NULL};

    (void)number;
    (void)from;
#if defined(__x86_64__)
    dladdr((void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP], &module);
#else
    (void)context;
#endif
    if (module.dli_fname == NULL || strstr(module.dli_fname, "libfxtheap") == NULL)
        return;
    __atomic_store_n(&is_held, 1, __ATOMIC_RELAXED);
    wait_for_holder(NULL);
}

static void *allocate_until_held(void *argument)
{
    while (!__atomic_load_n(&is_held, __ATOMIC_RELAXED))
        free(malloc(100));
    return argument;
}

static void run_table_holder(void)
{
    struct sigaction action = {.sa_sigaction = hold_call,
                               .sa_flags = SA_SIGINFO | SA_RESTART};
    pthread_t threads[2];

    if (pipe(pipe_ends) != 0 || sigaction(SIGUSR1, &action, NULL) != 0 ||
        pthread_create(&threads[0], NULL, allocate_until_held, NULL) != 0 ||
        pthread_create(&threads[1], NULL, wait_after_late, NULL) != 0)
        fail("no thread");
    puts("ready");
    await_line();
    while (!__atomic_load_n(&is_held, __ATOMIC_RELAXED)) {
        pthread_kill(threads[0], SIGUSR1);
        usleep(1000);
    }
    puts("held");
    await_line_late();
    close(pipe_ends[1]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc != 2)
        fail("heap_hold WHAT");
    if (strcmp(argv[1], "table") == 0)
        run_table_holder();
    else if (strcmp(argv[1], "late") == 0)
        run_holder(wait_after_late, await_line_late);
    else
        run_holder(wait_for_holder, await_line);
    return 0;
}
