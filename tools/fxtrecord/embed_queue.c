/* SPDX-License-Identifier: BSD-2-Clause */
/* See embed_queue.h. */
#include "embed_queue.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/io/file_lock.h"
#include "common/base/memory.h"
#include "failure.h"

/* How much others come first while something is recorded. */
enum { LIVE_NICENESS = 10 };

struct embed_job {
    const char *path;
    struct embed_settings settings;
    bool good;
};

/* ---- The child --------------------------------------------------------------------- */

/* What is open here would be open for longer than the recorder has it: events would go on
 * counting. */
static void close_files(void)
{
    DIR *list = opendir("/proc/self/fd");
    const struct dirent *entry;

    while (list != NULL && (entry = readdir(list)) != NULL) {
        int fd = (int)strtol(entry->d_name, NULL, 10);

        if (fd > STDERR_FILENO && fd != dirfd(list))
            close(fd);
    }
    if (list != NULL)
        closedir(list);
}

static void run_job(void *context)
{
    struct embed_job *job = context;

    job->good = embed_symbols(job->path, &job->settings);
}

/* Nothing of the recorder's is cleaned up here. */
static _Noreturn void run_child(struct embed_job *job, bool is_live)
{
    const char *why;

    close_files();
    if (is_live && nice(LIVE_NICENESS) < 0)
        errno = 0;
    why = memory_run(NULL, run_job, job);
    if (why != NULL)
        failure_report(job->path, why);
    _exit(job->good ? 0 : FXTRECORD_FAILED);
}

/* ---- The queue --------------------------------------------------------------------- */

void embed_queue_add(struct embed_queue *q, const char *path)
{
    MEMORY_ADD(q->archives, q->n, q->capacity,
               (struct embed_archive){memory_copy_string(path), file_lock_share(path)});
}

static struct embed_archive take_first(struct embed_queue *q)
{
    struct embed_archive first = q->archives[0];

    q->n--;
    memmove(q->archives, q->archives + 1, q->n * sizeof(*q->archives));
    return first;
}

static void drop(struct embed_archive *archive)
{
    if (archive->lock >= 0)
        close(archive->lock);
    memory_release(archive->path);
}

static void drop_all(struct embed_queue *q)
{
    for (size_t i = 0; i < q->n; i++)
        drop(&q->archives[i]);
    q->n = 0;
}

static void start_next(struct embed_queue *q, bool is_live)
{
    const struct record_options *o = q->options;

    while (q->child == 0 && q->n > 0) {
        struct embed_job job;

        q->current = take_first(q);
        job = (struct embed_job){.path = q->current.path};
        job.settings = (struct embed_settings){
            .has_off_cpu = (o->flags & FXT_SAMPLER_OFF_CPU) != 0,
            .uses_debuginfod = !o->no_debuginfod,
            .is_compressed = o->compresses,
            .reports_missing = !o->quiet && !is_live && q->n == 0,
            .may_be_removed = o->n_kept > 0,
        };
        q->child = fork();
        if (q->child == 0)
            run_child(&job, is_live);
        if (q->child < 0) {
            failure_report(job.path, strerror(errno));
            q->has_failed = true;
            q->child = 0;
            drop(&q->current);
        }
    }
}

/* Returns whether there is a child, still. */
static bool look(struct embed_queue *q, int flags)
{
    struct rusage used = {0};
    int status = 0;
    pid_t ended;

    if (q->child == 0)
        return false;
    do
        ended = wait4(q->child, &status, flags, &used);
    while (ended < 0 && errno == EINTR);
    if (ended == 0)
        return true;
    q->child = 0;
    drop(&q->current);
    q->used_ns += usage_ns(&used);
    q->has_failed |= ended < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    return false;
}

void embed_queue_step(struct embed_queue *q)
{
    if (!look(q, WNOHANG))
        start_next(q, true);
}

static void give_up(struct embed_queue *q)
{
    kill(q->child, SIGKILL);
    look(q, 0);
    drop_all(q);
    q->has_failed = !failure_report(NULL, "interrupted: not all symbols were embedded");
}

/* A child that ended before SIGCHLD was waited for is noticed by the time. */
bool embed_queue_finish(struct embed_queue *q, const sigset_t *signals)
{
    const struct timespec wait = {.tv_nsec = 100000000};

    start_next(q, false);
    while (q->child != 0) {
        int number = sigtimedwait(signals, NULL, &wait);

        if (number == SIGINT || number == SIGTERM || number == SIGHUP)
            give_up(q);
        else if (!look(q, WNOHANG))
            start_next(q, false);
    }
    return !q->has_failed;
}

void embed_queue_wait(struct embed_queue *q)
{
    look(q, 0);
}
