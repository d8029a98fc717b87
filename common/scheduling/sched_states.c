/* SPDX-License-Identifier: BSD-2-Clause */
/* See sched_states.h. */
#include "sched_states.h"

#include <fxt/format.h>

#include "common/base/memory.h"
#include "common/base/table_items.h"

/* As in a context switch of a writer that does not know it. */
enum { UNKNOWN_STATE = 15 };

/* ---- Threads and CPUs -------------------------------------------------------------- */

/* The number of a thread, which is added if there is room. */
static uint32_t find_thread(struct sched_states *s, uint64_t koid)
{
    struct sched_thread thread = {.koid = koid};
    uint32_t number = TABLE_FIND(&s->thread_table, s->threads, &thread, koid);

    if (number != TABLE_NONE)
        return number;
    if (s->max_threads > 0 && s->n_threads == s->max_threads) {
        s->n_no_room++;
        return SCHED_NO_THREAD;
    }
    return TABLE_PUT(&s->thread_table, s->threads, s->n_threads, s->thread_capacity,
                     &thread, koid);
}

static struct sched_cpu *find_cpu(struct sched_states *s, uint32_t cpu)
{
    while (s->n_cpus <= cpu) {
        MEMORY_ADD(s->cpus, s->n_cpus, s->cpu_capacity,
                   (struct sched_cpu){.state = SCHED_CPU_UNSEEN});
    }
    return &s->cpus[cpu];
}

/* ---- What has ended ---------------------------------------------------------------- */

/* The thread is left in a state of struct sched_run. */
static void end_run(struct sched_states *s, struct sched_cpu *cpu, uint64_t to_ns,
                    uint8_t state_after)
{
    struct sched_run run = {.state = cpu->state,
                            .cpu = (uint32_t)(cpu - s->cpus),
                            .thread = cpu->thread,
                            .from_ns = cpu->since_ns,
                            .to_ns = to_ns,
                            .state_after = state_after};

    if (to_ns > cpu->since_ns || state_after == SCHED_STATE_GOES_ON)
        s->on_run(s->context, &run);
}

static void end_wait(struct sched_states *s, const struct sched_thread *thread,
                     uint64_t to_ns, bool is_open)
{
    struct sched_wait wait = thread->wait;

    wait.to_ns = to_ns;
    wait.is_open = is_open;
    if (wait.kind == SCHED_BLOCKED || wait.kind == SCHED_SUSPENDED)
        s->n_without_wakeup += !wait.is_woken && !is_open;
    s->on_wait(s->context, &wait);
}

static void start_wait(struct sched_states *s, struct sched_thread *thread,
                       enum sched_wait_kind kind, uint64_t from_ns)
{
    thread->state = SCHED_THREAD_WAITS;
    thread->wait = (struct sched_wait){.kind = kind,
                                       .thread = (uint32_t)(thread - s->threads),
                                       .cpu = thread->cpu,
                                       .from_ns = from_ns};
}

/* The thread's state has not been what it seemed to be: the time of it is unknown. */
static void end_unknown(struct sched_states *s, struct sched_thread *thread,
                        uint64_t to_ns)
{
    uint64_t from_ns =
        thread->state == SCHED_THREAD_RUNS ? thread->since_ns : thread->wait.from_ns;

    start_wait(s, thread, SCHED_UNKNOWN, from_ns);
    end_wait(s, thread, to_ns, false);
}

/* The CPU does not run its thread any more, since some time after `from_ns`. */
static void lose_cpu(struct sched_states *s, struct sched_cpu *cpu, uint64_t from_ns)
{
    if (cpu->state == SCHED_CPU_BUSY && cpu->thread != SCHED_NO_THREAD)
        start_wait(s, &s->threads[cpu->thread], SCHED_UNKNOWN, from_ns);
    cpu->state = SCHED_CPU_UNKNOWN;
    cpu->since_ns = from_ns;
}

/* ---- Context switches -------------------------------------------------------------- */

static enum sched_wait_kind kind_of_wait(uint32_t state)
{
    switch (state) {
    /* Zircon has no number for a thread that is ready to run, and writes that it is
     * new. */
    case FXT_THREAD_NEW:
    case FXT_THREAD_RUNNING:
        return SCHED_PREEMPTED;
    case FXT_THREAD_BLOCKED:
        return SCHED_BLOCKED;
    case FXT_THREAD_SUSPENDED:
        return SCHED_SUSPENDED;
    default:
        return SCHED_UNKNOWN;
    }
}

/* Whether the CPU was running what the event says that it stops to run. */
static bool is_expected(const struct sched_cpu *cpu, const struct sched_event *event)
{
    if ((event->flags & SCHED_OUTGOING_IDLE) != 0)
        return cpu->state == SCHED_CPU_IDLE;
    return cpu->state == SCHED_CPU_BUSY && cpu->koid == event->thread;
}

/* The thread is not where it was last seen, but on another CPU. Returns whether that is
 * since a switch is missing. */
static bool find_elsewhere(struct sched_states *s, struct sched_thread *thread,
                           uint64_t time_ns)
{
    struct sched_cpu *cpu = &s->cpus[thread->cpu];

    if (thread->state != SCHED_THREAD_RUNS)
        return false;
    end_unknown(s, thread, time_ns);
    cpu->state = SCHED_CPU_UNKNOWN;
    return true;
}

/* The run of the CPU up to the event. Returns whether a switch is missing. */
static bool end_running(struct sched_states *s, struct sched_cpu *cpu,
                        const struct sched_event *event)
{
    bool is_lost = false;

    if (cpu->state == SCHED_CPU_UNSEEN)
        return false;
    if (cpu->state != SCHED_CPU_UNKNOWN && !is_expected(cpu, event)) {
        lose_cpu(s, cpu, cpu->since_ns);
        is_lost = true;
    }
    end_run(s, cpu, event->time_ns, event->state);
    return is_lost;
}

/* Returns whether a switch is missing. */
static bool switch_out(struct sched_states *s, const struct sched_event *event,
                       bool is_expected)
{
    uint32_t number = find_thread(s, event->thread);
    struct sched_thread *thread;
    bool is_lost = false;

    if (number == SCHED_NO_THREAD)
        return false;
    thread = &s->threads[number];
    if (!is_expected && thread->state == SCHED_THREAD_RUNS) {
        is_lost = find_elsewhere(s, thread, event->time_ns);
    } else if (!is_expected && thread->state == SCHED_THREAD_WAITS) {
        /* Its switch in is missing; unless that of which it is not known is counted. */
        is_lost = thread->wait.kind != SCHED_UNKNOWN;
        end_unknown(s, thread, event->time_ns);
    }
    thread->has_cpu = true;
    thread->cpu = event->cpu;
    if (event->state == FXT_THREAD_DYING || event->state == FXT_THREAD_DEAD)
        thread->state = SCHED_THREAD_UNSEEN;
    else
        start_wait(s, thread, kind_of_wait(event->state), event->time_ns);
    return is_lost;
}

static void run_thread(struct sched_states *s, struct sched_cpu *cpu, uint32_t number,
                       const struct sched_event *event)
{
    cpu->state = SCHED_CPU_BUSY;
    cpu->koid = event->other;
    cpu->thread = number;
    if (number == SCHED_NO_THREAD)
        return;
    s->threads[number].state = SCHED_THREAD_RUNS;
    s->threads[number].has_cpu = true;
    s->threads[number].cpu = event->cpu;
    s->threads[number].since_ns = event->time_ns;
}

/* Returns whether a switch is missing. */
static bool switch_in(struct sched_states *s, struct sched_cpu *cpu,
                      const struct sched_event *event)
{
    uint32_t number = find_thread(s, event->other);
    struct sched_thread *thread;
    bool is_lost = false;

    if (number != SCHED_NO_THREAD) {
        thread = &s->threads[number];
        is_lost = find_elsewhere(s, thread, event->time_ns);
        if (!is_lost && thread->state == SCHED_THREAD_WAITS)
            end_wait(s, thread, event->time_ns, false);
        thread->n_switches += !s->is_outside;
        thread->n_migrations +=
            !s->is_outside && thread->has_cpu && thread->cpu != event->cpu;
    }
    run_thread(s, cpu, number, event);
    return is_lost;
}

/* A switch from a thread to itself is how a writer says what a CPU runs. Returns whether
 * a switch is missing. */
static bool stay(struct sched_states *s, struct sched_cpu *cpu,
                 const struct sched_event *event)
{
    uint32_t number = find_thread(s, event->thread);
    struct sched_thread *thread;
    bool is_lost = false;

    if (number != SCHED_NO_THREAD) {
        thread = &s->threads[number];
        is_lost = find_elsewhere(s, thread, event->time_ns);
        if (!is_lost && thread->state == SCHED_THREAD_WAITS) {
            is_lost = thread->wait.kind != SCHED_UNKNOWN;
            end_unknown(s, thread, event->time_ns);
        }
    }
    run_thread(s, cpu, number, event);
    return is_lost;
}

static void take_switch(struct sched_states *s, const struct sched_event *event)
{
    struct sched_cpu *cpu = find_cpu(s, event->cpu);
    bool is_out_idle = (event->flags & SCHED_OUTGOING_IDLE) != 0;
    bool is_in_idle = (event->flags & SCHED_INCOMING_IDLE) != 0;
    bool is_known = is_expected(cpu, event);
    bool is_lost;

    if (is_known && event->thread == event->other)
        return;
    is_lost = end_running(s, cpu, event);
    if (!is_out_idle && !is_in_idle && event->thread == event->other) {
        is_lost |= stay(s, cpu, event);
    } else {
        if (!is_out_idle)
            is_lost |= switch_out(s, event, is_known);
        if (!is_in_idle)
            is_lost |= switch_in(s, cpu, event);
        else
            cpu->state = SCHED_CPU_IDLE;
    }
    cpu->since_ns = event->time_ns;
    s->n_lost += is_lost;
}

/* ---- Other events ------------------------------------------------------------------ */

static void take_wakeup(struct sched_states *s, const struct sched_event *event)
{
    uint32_t number = find_thread(s, event->thread);
    struct sched_thread *thread;
    struct sched_wait *wait;

    if (number == SCHED_NO_THREAD)
        return;
    thread = &s->threads[number];
    wait = &thread->wait;
    if (thread->state == SCHED_THREAD_WAITS && wait->kind == SCHED_UNKNOWN)
        end_unknown(s, thread, event->time_ns);
    else if (thread->state == SCHED_THREAD_RUNS ||
             (thread->state == SCHED_THREAD_WAITS &&
              (wait->is_woken || wait->kind == SCHED_PREEMPTED))) {
        s->n_needless_wakeups++;
        return;
    }
    if (!thread->has_cpu)
        thread->cpu = event->cpu;
    if (thread->state == SCHED_THREAD_UNSEEN || wait->kind == SCHED_UNKNOWN)
        start_wait(s, thread, SCHED_STARTED, event->time_ns);
    wait->is_woken = true;
    wait->woken_ns = event->time_ns;
    wait->waker = event->other;
}

/* A thread that was preempted is not woken, but one that is new. */
static enum sched_wait_kind kind_of_waiting(const struct sched_event *event)
{
    enum sched_wait_kind kind = kind_of_wait(event->state);

    return kind == SCHED_PREEMPTED && event->woken_ns != 0 ? SCHED_STARTED : kind;
}

/* What the trace itself has of the thread counts for more, if it is not a contradiction.
 */
static void take_waiting(struct sched_states *s, const struct sched_event *event)
{
    uint32_t number = find_thread(s, event->thread);
    struct sched_thread *thread;

    if (number == SCHED_NO_THREAD)
        return;
    thread = &s->threads[number];
    if (thread->state == SCHED_THREAD_RUNS)
        s->n_lost += find_elsewhere(s, thread, event->time_ns);
    else if (thread->state == SCHED_THREAD_WAITS && thread->wait.kind == SCHED_UNKNOWN)
        end_unknown(s, thread, event->time_ns);
    else if (thread->state == SCHED_THREAD_WAITS)
        return;
    thread->has_cpu = true;
    thread->cpu = event->cpu;
    find_cpu(s, event->cpu);
    start_wait(s, thread, kind_of_waiting(event), event->time_ns);
    if (event->woken_ns == 0)
        return;
    thread->wait.is_woken = true;
    thread->wait.woken_ns = event->time_ns;
    thread->wait.woken_before_ns = event->time_ns - event->woken_ns;
    thread->wait.waker = event->other;
}

static void take_drops(struct sched_states *s, const struct sched_event *event)
{
    struct sched_cpu *cpu = find_cpu(s, event->cpu);

    if (cpu->state == SCHED_CPU_UNSEEN || cpu->state == SCHED_CPU_UNKNOWN)
        return;
    end_run(s, cpu, event->time_ns, UNKNOWN_STATE);
    lose_cpu(s, cpu, event->time_ns);
}

void sched_states_take(struct sched_states *s, const struct sched_event *event)
{
    s->last_ns = event->time_ns;
    switch ((enum sched_event_kind)event->kind) {
    case SCHED_SWITCH:
        take_switch(s, event);
        break;
    case SCHED_WAKEUP:
        take_wakeup(s, event);
        break;
    case SCHED_DROPS:
        take_drops(s, event);
        break;
    case SCHED_WAITING:
        take_waiting(s, event);
        break;
    }
}

void sched_states_end(struct sched_states *s, bool is_cut)
{
    for (size_t i = 0; i < s->n_cpus; i++) {
        if (s->cpus[i].state == SCHED_CPU_UNSEEN)
            continue;
        if (is_cut)
            lose_cpu(s, &s->cpus[i], s->cpus[i].since_ns);
        end_run(s, &s->cpus[i], s->last_ns, SCHED_STATE_GOES_ON);
        s->cpus[i].state = SCHED_CPU_UNSEEN;
    }
    for (size_t i = 0; i < s->n_threads; i++) {
        if (s->threads[i].state == SCHED_THREAD_WAITS)
            end_wait(s, &s->threads[i], s->last_ns, true);
        s->threads[i].state = SCHED_THREAD_UNSEEN;
        s->threads[i].has_cpu = false;
    }
}

void sched_states_free(struct sched_states *s)
{
    memory_release(s->threads);
    table_free(&s->thread_table);
    memory_release(s->cpus);
}
