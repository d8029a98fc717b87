/* SPDX-License-Identifier: BSD-2-Clause */
/* See event_list.h: scheduling in a timeline, as events, and by CPU for formats that show
 * it so (see libfxtprofile/profile/timeline.h). */
#include "event_list.h"

#include <fxt/format.h>

#include "common/base/memory.h"

/* A process that is not known here may be so by the thread's name. */
static uint32_t find_koid(struct events *e, uint64_t koid)
{
    struct fxt_thread thread = {.process = koid_names_process(&e->processes, koid),
                                .thread = koid,
                                .known = true};

    return events_find_thread(e, &thread);
}

static void add_off_cpu(struct events *e, uint64_t koid, const struct sched_wait *wait,
                        const char *state, uint64_t from_ns, uint64_t to_ns)
{
    bool is_woken = wait->is_woken && wait->waker != 0;

    if (to_ns < from_ns)
        return;
    events_add_number(e, "cpu", wait->cpu);
    if (is_woken)
        events_add_number(e, "woken by", wait->waker);
    events_add(e, (struct profile_event){.time_ns = from_ns,
                                         .end_ns = to_ns,
                                         .thread = find_koid(e, koid),
                                         .name = events_add_text(e, state),
                                         .category = events_add_text(e, "scheduling"),
                                         .n_args = (uint8_t)(1 + is_woken),
                                         .kind = PROFILE_EVENT_OFF_CPU});
}

/* ---- As events -------------------------------------------------------------------- */

/* "blocked" or "suspended" until it was woken, "runnable" until it ran. */
static void add_wait_events(struct events *e, uint64_t thread,
                            const struct sched_wait *wait)
{
    bool is_blocked = wait->kind == SCHED_BLOCKED || wait->kind == SCHED_SUSPENDED;
    uint64_t runnable_ns = wait->from_ns;

    if (wait->kind == SCHED_UNKNOWN)
        return;
    if (is_blocked) {
        runnable_ns = wait->is_woken ? wait->woken_ns : wait->to_ns;
        add_off_cpu(e, thread, wait,
                    wait->kind == SCHED_BLOCKED ? "blocked" : "suspended", wait->from_ns,
                    runnable_ns);
    }
    if (!is_blocked || wait->is_woken)
        add_off_cpu(e, thread, wait, "runnable", runnable_ns, wait->to_ns);
}

/* ---- By CPU ------------------------------------------------------------------------ */

static enum profile_run_state state_of_wait(enum sched_wait_kind kind)
{
    switch (kind) {
    case SCHED_PREEMPTED:
    case SCHED_STARTED:
        return PROFILE_STATE_RUNNABLE;
    case SCHED_BLOCKED:
        return PROFILE_STATE_BLOCKED;
    case SCHED_SUSPENDED:
        return PROFILE_STATE_SUSPENDED;
    case SCHED_UNKNOWN:
        break;
    }
    return PROFILE_STATE_UNKNOWN;
}

static void add_wait(struct events *e, uint64_t thread, const struct sched_wait *wait,
                     bool follows_run)
{
    struct profile_scheduling *s = &e->list.scheduling;
    bool has_waker = wait->is_woken && wait->waker != 0;

    MEMORY_ADD(s->waits, s->n_waits, e->wait_capacity,
               (struct profile_wait){
                   .from_ns = wait->from_ns,
                   .to_ns = wait->to_ns,
                   .woken_ns = wait->woken_ns,
                   .waker = has_waker ? find_koid(e, wait->waker) : PROFILE_NO_THREAD,
                   .thread = find_koid(e, thread),
                   .cpu = wait->cpu,
                   .state = (uint8_t)state_of_wait(wait->kind),
                   .is_woken = wait->is_woken,
                   .is_start = wait->kind == SCHED_STARTED,
                   .follows_run = follows_run && wait->kind != SCHED_UNKNOWN});
}

/* Where it is left at the end of a trace is not known if there is another one. */
static enum profile_run_state state_after(const struct sched_run *run)
{
    switch (run->state_after) {
    case FXT_THREAD_NEW:
    case FXT_THREAD_RUNNING:
        return PROFILE_STATE_RUNNABLE;
    case FXT_THREAD_BLOCKED:
        return PROFILE_STATE_BLOCKED;
    case FXT_THREAD_SUSPENDED:
        return PROFILE_STATE_SUSPENDED;
    case FXT_THREAD_DYING:
    case FXT_THREAD_DEAD:
        return PROFILE_STATE_EXITED;
    case SCHED_STATE_GOES_ON:
        return PROFILE_STATE_GOES_ON;
    default:
        return PROFILE_STATE_UNKNOWN;
    }
}

static void add_run(struct events *e, uint64_t thread, const struct sched_run *run)
{
    struct profile_scheduling *s = &e->list.scheduling;
    bool is_busy = run->state == SCHED_CPU_BUSY;

    MEMORY_ADD(
        s->runs, s->n_runs, e->run_capacity,
        (struct profile_run){.from_ns = run->from_ns,
                             .to_ns = run->to_ns,
                             .thread = is_busy ? find_koid(e, thread) : PROFILE_NO_THREAD,
                             .cpu = run->cpu,
                             .kind = is_busy                        ? PROFILE_RUN_BUSY
                                     : run->state == SCHED_CPU_IDLE ? PROFILE_RUN_IDLE
                                                                    : PROFILE_RUN_UNKNOWN,
                             .state = (uint8_t)state_after(run)});
}

/* ---- All --------------------------------------------------------------------------- */

static void take_wait(void *context, uint64_t thread, const struct sched_wait *wait,
                      bool follows_run)
{
    struct events *e = (struct events *)context;

    add_wait_events(e, thread, wait);
    if (e->keeps_scheduling)
        add_wait(e, thread, wait, follows_run);
}

static void take_run(void *context, uint64_t thread, const struct sched_run *run)
{
    struct events *e = (struct events *)context;

    if (e->keeps_scheduling)
        add_run(e, thread, run);
}

void events_finish_scheduling(struct events *e)
{
    struct off_cpu_output output = {take_wait, take_run, e};

    off_cpu_finish(&e->off_cpu, &output);
}
