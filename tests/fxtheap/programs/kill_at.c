/* SPDX-License-Identifier: BSD-2-Clause */
/* Kills the program at the moment that HEAP_KILL_AT says: 1 is before its first call of
 * ptrace or pwrite, 2 is after it, 3 is before the second one. */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static void count_moment(void)
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
    count_moment();
    result = next(what, thread, address, data);
    count_moment();
    return result;
}

__attribute__((visibility("default"))) ssize_t pwrite(int file, const void *bytes,
                                                      size_t size, off_t offset)
{
    ssize_t (*next)(int, const void *, size_t, off_t);
    void *found = dlsym(RTLD_NEXT, "pwrite");
    ssize_t n;

    memcpy(&next, &found, sizeof(next));
    count_moment();
    n = next(file, bytes, size, offset);
    count_moment();
    return n;
}
