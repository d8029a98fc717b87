/* SPDX-License-Identifier: BSD-2-Clause */
/* See attach_session.h: finding a thread that can be made to call something. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

#include "attach_session.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/sort.h"
#include "refuse.h"
#include "stack_check.h"

/* ---- Threads, those first that are best stopped ------------------------------------ */

/* By how little it is disturbed: one that waits in a system call that is restarted, one
 * that runs, one that waits where a program sees that it was interrupted. */
enum disturbance { DISTURBED_LEAST, DISTURBED_LITTLE, DISTURBED_MORE };

struct listed_thread {
    pid_t id;
    enum disturbance disturbance;
};

static enum disturbance judge_thread(pid_t process, pid_t thread)
{
    char path[80];
    long call = -1;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%ld/task/%ld/syscall", (long)process,
             (long)thread);
    file = fopen(path, "re");
    if (file == NULL)
        return DISTURBED_LITTLE;
    if (fscanf(file, "%ld", &call) != 1)
        call = -1;
    fclose(file);
    switch (call) {
    case SYS_read:
    case SYS_futex:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_accept:
    case SYS_accept4:
    case SYS_pause:
    case SYS_rt_sigsuspend:
        return DISTURBED_LEAST;
    case -1:
        return DISTURBED_LITTLE;
    default:
        return DISTURBED_MORE;
    }
}

SORT_ORDER(order_threads, struct listed_thread, BY(disturbance) || BY(id));

/* Returns how many there are; `*threads` is to be released. */
static size_t list_threads(pid_t process, struct listed_thread **threads)
{
    char path[64];
    size_t capacity = 0;
    size_t n = 0;
    const struct dirent *entry;
    DIR *entries;

    snprintf(path, sizeof(path), "/proc/%ld/task", (long)process);
    *threads = NULL;
    entries = opendir(path);
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        pid_t id = (pid_t)strtol(entry->d_name, NULL, 10);

        if (id <= 0)
            continue;
        *threads = memory_grow(*threads, n, &capacity, sizeof(**threads));
        (*threads)[n++] = (struct listed_thread){id, judge_thread(process, id)};
    }
    if (entries != NULL)
        closedir(entries);
    SORT(*threads, n, order_threads);
    return n;
}

/* ---- Finding one ------------------------------------------------------------------- */

/* How long to look for a thread that can be made to call something, and how long to do
 * that all the time: one that does nothing but allocate is seldom outside of the
 * allocator. */
#define SEARCH_NS (UINT64_C(10) * 1000000000)
#define FAST_NS (UINT64_C(1) * 1000000000)

/* Stops a thread if it can be used. */
static bool try_thread(struct attach_session *s, const struct stack_check *check,
                       pid_t thread)
{
    enum stack_verdict verdict;

    if (!tracee_stop(&s->tracee, thread)) {
        if (errno != ESRCH)
            s->stop_error = errno;
        return false;
    }
    verdict = stack_check(check, &s->tracee.registers);
    if (verdict == STACK_GOOD)
        return true;
    s->is_small |= verdict == STACK_SMALL;
    tracee_release(&s->tracee);
    return false;
}

static bool try_threads(struct attach_session *s, const struct stack_check *check)
{
    struct listed_thread *threads;
    size_t n = list_threads(s->target.process, &threads);
    bool found = false;

    s->stop_error = n == 0 ? ESRCH : 0;
    s->is_small = false;
    for (size_t i = 0; i < n && !found && s->stop_error != EPERM; i++)
        found = try_thread(s, check, threads[i].id);
    memory_release(threads);
    return found;
}

static void explain_failure(const struct attach_session *s, struct text *why)
{
    if (s->stop_error != 0 && s->stop_error != ETIME)
        refuse_stop(s->target.process, s->stop_error, why);
    else if (s->stop_error == ETIME)
        text_str(why, "its threads do not stop");
    else if (s->is_small)
        text_str(why, "none of its threads was on a stack with enough room");
    else
        text_str(why, "none of its threads was outside of the allocator and the dynamic "
                      "loader when it was looked at, as if all waited there");
}

/* Different each time, so as not to meet a period of the program. */
static void pause_search(uint64_t begun)
{
    static uint64_t random = 1;
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    struct timespec pause = {0, 0};

    random = random * 6364136223846793005 + now;
    pause.tv_nsec = (long)((random >> 33) % (now - begun < FAST_NS ? 100000 : 3000000));
    nanosleep(&pause, NULL);
}

bool attach_find_thread(struct attach_session *s, bool avoids_heap, struct text *why)
{
    uint64_t begun = clock_ns(CLOCK_MONOTONIC);
    struct stack_check check;

    stack_check_begin(&check, &s->target, s->restorer, avoids_heap);
    while (!try_threads(s, &check)) {
        tracee_release_late();
        if (s->stop_error == EPERM || s->stop_error == ESRCH ||
            clock_ns(CLOCK_MONOTONIC) - begun > SEARCH_NS) {
            explain_failure(s, why);
            return false;
        }
        pause_search(begun);
    }
    return true;
}
