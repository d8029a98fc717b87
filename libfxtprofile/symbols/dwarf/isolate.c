/* SPDX-License-Identifier: BSD-2-Clause */
/* See isolate.h. */
#include "isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libfxtprofile/symbols/fork.h"
#include "common/base/memory.h"

/* ---- The work's side --------------------------------------------------------------- */

bool isolate_write(int out, const void *bytes, size_t size)
{
    const char *at = (const char *)bytes;

    while (size > 0) {
        ssize_t n = write(out, at, size);

        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            at += n;
            size -= (size_t)n;
        }
    }
    return true;
}

void isolate_fail(void)
{
    _exit(EXIT_FAILURE);
}

struct child_work {
    isolate_work_fn *work;
    void *context;
    int out;
};

static void do_work(void *context)
{
    const struct child_work *c = (const struct child_work *)context;

    c->work(c->context, c->out);
}

/* A failure in the child must not return to the parent's functions, which are on its
 * stack, too. */
_Noreturn static void be_child(struct child_work work, struct confine_limits limits)
{
    struct memory_pool pool;

    confine(work.out, limits);
    /* The memory limits are the child's own, not what is left of the parent's. */
    memory_pool_start(&pool, 0);
    _exit(memory_run(&pool, do_work, &work) == NULL ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* ---- The other --------------------------------------------------------------------- */

/* While a child writes nothing, it is polled: the end of the pipe is not reliable, since
 * a child of another thread may have it open, too. A child that takes no CPU time for a
 * long time may be blocked forever. */
enum { SILENCE_MS = 1000, SILENCES_PER_CPU_SECOND = 10 };

struct child {
    /* Runs if the function that takes the bytes is left by a failure. */
    struct memory_cleanup cleanup;
    pid_t process;
    int in;
    /* It was reaped, with this status. */
    bool is_gone;
    int status;
    /* Why no more of it is read. */
    bool is_refused;
    bool is_late;
};

/* If the program reaps all its children elsewhere, the status is lost. */
static void wait_for(struct child *c, int options)
{
    pid_t found;

    do
        found = waitpid(c->process, &c->status, options);
    while (found < 0 && errno == EINTR);
    c->is_gone = found != 0;
    if (found < 0)
        c->status = 0;
}

static void read_all(struct child *c, uint64_t max_silences, isolate_take_fn *take,
                     void *context)
{
    struct pollfd event = {.fd = c->in, .events = POLLIN};
    uint64_t n_silences = 0;
    char bytes[1 << 16];

    while (!c->is_gone && !c->is_refused && !c->is_late) {
        ssize_t n;

        if (poll(&event, 1, SILENCE_MS) == 0) {
            c->is_late = ++n_silences > max_silences;
            wait_for(c, WNOHANG);
            continue;
        }
        n = read(c->in, bytes, sizeof(bytes));
        if (n == 0 || (n < 0 && errno != EINTR))
            return;
        c->is_refused = n > 0 && !take(context, bytes, (size_t)n);
        n_silences = 0;
    }
}

/* Waits for its exit, and kills it first if its output is not needed any more. */
static void end_child(struct child *c)
{
    if (!c->is_gone && (c->is_refused || c->is_late)) {
        wait_for(c, WNOHANG);
        if (!c->is_gone)
            kill(c->process, SIGKILL);
    }
    if (!c->is_gone)
        wait_for(c, 0);
}

static void release_child(void *context)
{
    struct child *c = (struct child *)context;

    close(c->in);
    c->is_refused = true;
    end_child(c);
}

static enum isolate_end wait_for_child(struct child *c)
{
    end_child(c);
    if (c->is_refused)
        return ISOLATE_ENDED;
    if (c->is_late)
        return ISOLATE_NO_TIME;
    if (WIFEXITED(c->status) && WEXITSTATUS(c->status) == EXIT_SUCCESS)
        return ISOLATE_ENDED;
    if (WIFSIGNALED(c->status) && WTERMSIG(c->status) == SIGXCPU)
        return ISOLATE_NO_TIME;
    return ISOLATE_FAILED;
}

/* Returns false, with errno set, if there can be no child. */
static bool start_child(struct child *c, struct child_work work,
                        struct confine_limits limits)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    work.out = ends[1];
    c->process = fork_without_signals();
    if (c->process == 0)
        be_child(work, limits);
    c->in = ends[0];
    if (c->process < 0) {
        int reason = errno;

        close(ends[1]);
        close(c->in);
        errno = reason;
        return false;
    }
    close(ends[1]);
    return true;
}

enum isolate_end isolate(isolate_work_fn *work, void *work_context,
                         struct confine_limits limits, isolate_take_fn *take,
                         void *take_context)
{
    struct child *c = memory_allocate(sizeof(*c));
    enum isolate_end end = ISOLATE_NOT_STARTED;
    int reason;

    if (start_child(c, (struct child_work){work, work_context, -1}, limits)) {
        memory_cleanup_add(&c->cleanup, release_child, c);
        read_all(c, limits.cpu_seconds * SILENCES_PER_CPU_SECOND, take, take_context);
        memory_cleanup_remove(&c->cleanup);
        close(c->in);
        end = wait_for_child(c);
    }
    reason = errno;
    memory_release(c);
    errno = reason;
    return end;
}
