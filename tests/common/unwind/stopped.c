/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads for test_gdb.py, each of which is somewhere else whenever they are stopped: in
 * a callback of the C library, in PLT stubs, in system calls, and in signal handlers on
 * the normal stack and on another one. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline))

enum { STACK = 65536 };

static volatile unsigned long sink;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

APART static void spin(void)
{
    for (;;)
        sink++;
}

APART static int compare(const void *a, const void *b)
{
    spin();
    return memcmp(a, b, 1);
}

static void *in_callback(void *unused)
{
    char bytes[] = "the quick brown fox";

    qsort(bytes, sizeof(bytes) - 1, 1, compare);
    return unused;
}

/* Most of the time is in the PLT and in the first instructions of these functions. */
static void *in_stubs(void *unused)
{
    for (;;) {
        sink += (unsigned long)abs((int)sink) + (unsigned long)ffs((int)sink);
        sink += (unsigned long)labs((long)sink) + (unsigned long)getppid();
        sink += (unsigned long)pthread_equal(pthread_self(), 0);
    }
    return unused;
}

static void on_signal(int number)
{
    char local[100];

    memset(local, number, sizeof(local));
    sink += (unsigned char)local[sink % sizeof(local)];
    spin();
}

static void handle(int number, int flags)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};

    sigaction(number, &action, NULL);
}

static void *in_handler(void *unused)
{
    raise(SIGUSR1);
    return unused;
}

/* Interrupted where the stack pointer and the PC can be anything. */
static void *in_handler_elsewhere(void *unused)
{
    stack_t stack = {.ss_sp = malloc(STACK), .ss_size = STACK};

    sigaltstack(&stack, NULL);
    *(volatile int *)unused = 1;
    return unused;
}

static void *in_sleep(void *unused)
{
    for (;;)
        nanosleep(&(struct timespec){.tv_sec = 1000}, NULL);
    return unused;
}

static void *in_read(void *unused)
{
    int ends[2];
    char byte;

    if (pipe(ends) == 0 && read(ends[0], &byte, 1) > 0)
        sink++;
    return unused;
}

static void *in_lock(void *unused)
{
    pthread_mutex_lock(&mutex);
    return unused;
}

int main(void)
{
    static void *(*const starts[])(void *) = {
        in_callback, in_stubs, in_handler, in_handler_elsewhere,
        in_sleep,    in_read,  in_lock};
    pthread_t thread;

    handle(SIGUSR1, 0);
    handle(SIGSEGV, SA_ONSTACK);
    pthread_mutex_lock(&mutex);
    for (unsigned i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        if (pthread_create(&thread, NULL, starts[i], NULL) != 0)
            return 1;
    }
    in_stubs(NULL);
    return 0;
}
