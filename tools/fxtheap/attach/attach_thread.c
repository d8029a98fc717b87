/* SPDX-License-Identifier: BSD-2-Clause */
/* See attach_session.h: finding a thread that can be made to call something. */
#include <errno.h>
#include <stdint.h>
#include <time.h>

#include "attach_session.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "refuse.h"
#include "stack_check.h"
#include "thread_list.h"

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
    size_t n = thread_list(s->target.process, &threads);
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
