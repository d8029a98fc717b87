/* SPDX-License-Identifier: BSD-2-Clause */
/* Kills the program after so many calls of ptrace and pwrite as HEAP_KILL_AT says. */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static void count_call(void)
{
    static int n;
    const char *at = getenv("HEAP_KILL_AT");

    if (at != NULL && ++n == atoi(at))
        kill(getpid(), SIGKILL);
}

__attribute__((visibility("default"))) long ptrace(int what, pid_t thread, void *address,
                                                   void *data);

long ptrace(int what, pid_t thread, void *address, void *data)
{
    long (*next)(int, pid_t, void *, void *);
    void *found = dlsym(RTLD_NEXT, "ptrace");
    long result;

    memcpy(&next, &found, sizeof(next));
    result = next(what, thread, address, data);
    count_call();
    return result;
}

__attribute__((visibility("default"))) ssize_t pwrite(int file, const void *bytes,
                                                      size_t size, off_t offset)
{
    ssize_t (*next)(int, const void *, size_t, off_t);
    void *found = dlsym(RTLD_NEXT, "pwrite");
    ssize_t n;

    memcpy(&next, &found, sizeof(next));
    n = next(file, bytes, size, offset);
    count_call();
    return n;
}
