/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_trace.h. */
#include "perf_trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf_attr.h"
#include "perf_body.h"
#include "perf_call.h"
#include "perf_record.h"

/* The kernel has no more ids than this. */
enum { THREADS_MAX = 1 << 22 };

/* Linux gives a thread that has been reaped this id. */
#define NO_ID UINT32_MAX

struct perf_trace_cpu {
    /* The thread that the CPU runs: 0 if it is idle. */
    bool is_known;
    uint32_t thread;
    /* Its last thread that has exited, and not yet been switched out. */
    uint32_t exited;
    /* What it did when the recording began is written, or no longer known. */
    bool has_begun;
    uint64_t last_ns;
    /* The stack of the thread that is switched out next. */
    bool has_stack;
    struct sched_stack stack;
    uint64_t pcs[FXT_SAMPLER_DEPTH_MAX];
};

/* ---- Beginning --------------------------------------------------------------------- */

static int first_online(const struct fxt_sampler *sampler)
{
    uint32_t cpu = 0;

    while (cpu + 1 < regions.n && !sampler->is_online[cpu])
        cpu++;
    return (int)cpu;
}

static bool can_open(const struct perf_event_attr *attr, pid_t thread, int cpu)
{
    int event = perf_call_open(attr, thread, cpu);

    if (event < 0)
        return false;
    close(event);
    return true;
}

static void add_reason(struct fxt_sampler *sampler, const char *what, int error)
{
    size_t size = strlen(sampler->reason);

    snprintf(sampler->reason + size, sizeof(sampler->reason) - size, "%s%s (%s)",
             size > 0 ? "; " : "", what, strerror(error));
}

static void find_wakeups(struct perf_trace *trace, struct fxt_sampler *sampler,
                         const struct perf_event_attr *attr)
{
    struct perf_event_attr wakeups;

    if (tracepoint_find_waking(&trace->waking)) {
        wakeups = perf_attr_of_wakeups(attr, trace->waking.id);
        trace->has_wakeups = can_open(&wakeups, -1, first_online(sampler));
    }
    if (!trace->has_wakeups)
        add_reason(sampler,
                   errno == EACCES || errno == EPERM
                       ? "wakeups are not recorded: they need root, or "
                         "CAP_PERFMON and a readable tracefs"
                       : "wakeups are not recorded",
                   errno);
}

static enum fxt_sampler_code find_stacks(struct perf_trace *trace,
                                         struct fxt_sampler *sampler,
                                         const struct perf_event_attr *attr)
{
    struct perf_event_attr stacks = perf_attr_of_switches(attr);
    int error;

    trace->has_stacks = can_open(&stacks, 0, -1);
    if (trace->has_stacks)
        return FXT_SAMPLER_OK;
    error = errno;
    sampler->reason[0] = '\0';
    add_reason(sampler,
               error == EACCES || error == EPERM
                   ? "stacks of waiting threads need root, or a "
                     "kernel.perf_event_paranoid of 1 or less"
                   : "stacks of waiting threads cannot be sampled",
               error);
    return perf_call_code(error);
}

enum fxt_sampler_code perf_trace_open(struct perf_trace *trace,
                                      struct fxt_sampler *sampler,
                                      const struct perf_event_attr *attr)
{
    const uint32_t flags = sampler->config.flags;
    enum fxt_sampler_code code = FXT_SAMPLER_OK;

    if ((flags & (FXT_SAMPLER_SCHEDULING | FXT_SAMPLER_OFF_CPU)) == 0)
        return FXT_SAMPLER_OK;
    if ((flags & FXT_SAMPLER_OFF_CPU) != 0)
        code = find_stacks(trace, sampler, attr);
    if (code != FXT_SAMPLER_OK)
        return code;
    find_wakeups(trace, sampler, attr);
    trace->cpus = calloc(regions.n, sizeof(*trace->cpus));
    trace->threads = calloc(THREADS_MAX / 8, 1);
    trace->waiting = calloc(1, sizeof(*trace->waiting));
    if (trace->cpus == NULL || trace->threads == NULL || trace->waiting == NULL) {
        perf_trace_free(trace);
        return FXT_SAMPLER_E_RESOURCES;
    }
    trace->is_on = true;
    return FXT_SAMPLER_OK;
}

void perf_trace_free(struct perf_trace *trace)
{
    free(trace->cpus);
    free(trace->threads);
    if (trace->waiting != NULL)
        waiting_free(trace->waiting);
    free(trace->waiting);
    *trace = (struct perf_trace){0};
}

void perf_trace_start(struct perf_trace *trace)
{
    trace->since_ns = regions_now();
    if (trace->waiting != NULL)
        waiting_free(trace->waiting);
    for (uint32_t cpu = 0; trace->is_on && cpu < regions.n; cpu++) {
        trace->cpus[cpu].has_begun = false;
        trace->cpus[cpu].has_stack = false;
    }
}

void perf_trace_note_target(struct perf_trace *trace)
{
    trace->since_ns = regions_now();
}

/* ---- Threads ----------------------------------------------------------------------- */

static void mark_thread(struct perf_trace *trace, uint32_t thread)
{
    if (thread < THREADS_MAX)
        trace->threads[thread / 8] |= (unsigned char)(1u << thread % 8);
}

static void unmark_thread(struct perf_trace *trace, uint32_t thread)
{
    if (thread < THREADS_MAX)
        trace->threads[thread / 8] &= (unsigned char)~(1u << thread % 8);
}

static bool is_marked(const struct perf_trace *trace, uint32_t thread)
{
    return thread < THREADS_MAX && (trace->threads[thread / 8] >> thread % 8 & 1) != 0;
}

/* ---- Writing ----------------------------------------------------------------------- */

/* A record of a switch. */
struct taken_switch {
    uint64_t time;
    uint32_t cpu;
    uint32_t process;
    uint32_t thread;
    /* Of a CPU's: the other thread. */
    uint32_t other;
    bool is_out;
    bool is_preempted;
};

/* A switch out: after the stack, which belongs to it. */
static void write_out(struct perf_trace *trace, const struct taken_switch *s,
                      struct switch_record record, bool is_recorded)
{
    struct perf_trace_cpu *c = &trace->cpus[s->cpu];
    struct sched_stack stack = {.process = s->process, .thread = record.outgoing};

    if (c->has_stack && c->stack.thread == record.outgoing) {
        stack = c->stack;
        stack.pcs = c->pcs;
        if (is_recorded)
            sched_write_stack(s->cpu, s->time, &stack);
    }
    c->has_stack = false;
    if (is_recorded)
        sched_write_switch(record);
    if (record.state != FXT_THREAD_DEAD)
        waiting_add(trace->waiting, &(struct waiting_record){.cpu = s->cpu,
                                                             .state = record.state,
                                                             .since_ns = s->time,
                                                             .stack = stack});
}

/* ---- Switches ---------------------------------------------------------------------- */

static bool read_switch(const struct perf_event_header *record, uint32_t cpu,
                        struct taken_switch *s)
{
    struct perf_body body = perf_body_of(record);

    *s = (struct taken_switch){
        .time = perf_read_time(record),
        .cpu = cpu,
        .is_out = (record->misc & PERF_RECORD_MISC_SWITCH_OUT) != 0,
        .is_preempted = (record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0,
    };
    return (record->type == PERF_RECORD_SWITCH ||
            (perf_body_skip(&body, 4) && perf_body_take(&body, &s->other, 4))) &&
           perf_body_take(&body, &s->process, 4) && perf_body_take(&body, &s->thread, 4);
}

/* What the CPU has run since the recording began, or this target was added. */
static void write_beginning(struct perf_trace *trace, const struct taken_switch *s,
                            uint32_t thread)
{
    struct perf_trace_cpu *c = &trace->cpus[s->cpu];

    if (c->has_begun || s->time < trace->since_ns)
        return;
    c->has_begun = true;
    sched_write_switch((struct switch_record){trace->since_ns, s->cpu, FXT_THREAD_RUNNING,
                                              thread, thread});
}

static enum fxt_thread_state state_of(const struct perf_trace_cpu *c,
                                      const struct taken_switch *s)
{
    if (s->is_preempted)
        return FXT_THREAD_RUNNING;
    return s->thread == NO_ID || s->thread == c->exited ? FXT_THREAD_DEAD
                                                        : FXT_THREAD_BLOCKED;
}

/* The incoming thread's record says nothing new, but after a loss, or where the kernel
 * reports nothing of the outgoing one. */
static void note_running(struct perf_trace *trace, const struct taken_switch *s)
{
    struct perf_trace_cpu *c = &trace->cpus[s->cpu];

    if (s->thread == NO_ID || (c->is_known && c->thread == s->thread))
        return;
    if (s->time >= trace->since_ns) {
        if (c->is_known)
            write_beginning(trace, s, c->thread);
        c->has_begun = true;
        sched_write_switch((struct switch_record){s->time, s->cpu, SCHED_STATE_NOT_KNOWN,
                                                  c->is_known ? c->thread : s->thread,
                                                  s->thread});
    }
    c->is_known = true;
    c->thread = s->thread;
    waiting_run(trace->waiting, s->thread);
}

/* The records of a CPU. */
static void take_cpu_switch(struct perf_trace *trace, const struct taken_switch *s)
{
    struct perf_trace_cpu *c = &trace->cpus[s->cpu];
    uint32_t outgoing = s->thread;
    uint32_t incoming = s->other != NO_ID ? s->other : trace->preempted_dead;

    if (!s->is_out) {
        note_running(trace, s);
        return;
    }
    if (outgoing == NO_ID)
        outgoing = c->is_known ? c->thread : 0;
    if (s->thread == NO_ID && s->is_preempted)
        trace->preempted_dead = outgoing;
    write_beginning(trace, s, outgoing);
    write_out(trace, s,
              (struct switch_record){s->time, s->cpu, state_of(c, s), outgoing, incoming},
              s->time >= trace->since_ns);
    waiting_run(trace->waiting, incoming);
    if (!s->is_preempted && outgoing == c->exited)
        c->exited = 0;
    c->is_known = true;
    c->thread = incoming;
}

/* Those of a thread. One that ran on the CPU before it was added has no record of its
 * beginning, and the CPU none since. */
static void take_thread_switch(struct perf_trace *trace, const struct taken_switch *s)
{
    struct perf_trace_cpu *c = &trace->cpus[s->cpu];
    bool is_new = !c->is_known || c->thread != s->thread;

    mark_thread(trace, s->thread);
    if (s->is_out) {
        if (is_new && c->last_ns < trace->since_ns)
            c->has_begun = false;
        if (is_new)
            write_beginning(trace, s, s->thread);
        write_out(trace, s,
                  (struct switch_record){s->time, s->cpu, state_of(c, s), s->thread, 0},
                  true);
    } else {
        waiting_run(trace->waiting, s->thread);
        sched_write_switch(
            (struct switch_record){s->time, s->cpu, FXT_THREAD_RUNNING, 0, s->thread});
    }
    c->is_known = true;
    c->thread = s->is_out ? 0 : s->thread;
    c->has_begun = true;
}

static void note_time(struct perf_trace *trace, uint64_t time)
{
    if (time > trace->last_ns)
        trace->last_ns = time;
}

void perf_trace_take_switch(struct perf_trace *trace, uint32_t cpu,
                            const struct perf_event_header *record)
{
    struct taken_switch s;

    if (!trace->is_on || !read_switch(record, cpu, &s))
        return;
    if (record->type == PERF_RECORD_SWITCH)
        take_thread_switch(trace, &s);
    else
        take_cpu_switch(trace, &s);
    trace->cpus[cpu].last_ns = s.time;
    note_time(trace, s.time);
}

/* The events of a thread end with it, before it is switched out for the last time; those
 * of the CPU report that. */
void perf_trace_take_exit(struct perf_trace *trace, uint32_t cpu,
                          const struct perf_event_header *record)
{
    struct perf_trace_cpu *c;
    pid_t process;
    pid_t thread;

    if (!trace->is_on || !perf_read_exit(record, &process, &thread))
        return;
    c = &trace->cpus[cpu];
    c->exited = (uint32_t)thread;
    waiting_end(trace->waiting, (uint32_t)thread);
    if (!is_marked(trace, (uint32_t)thread))
        return;
    unmark_thread(trace, (uint32_t)thread);
    if (!c->is_known || c->thread != (uint32_t)thread)
        return;
    sched_write_switch((struct switch_record){perf_read_time(record), cpu,
                                              FXT_THREAD_DEAD, (uint32_t)thread, 0});
    c->thread = 0;
    c->exited = 0;
}

void perf_trace_take_loss(struct perf_trace *trace, uint32_t cpu)
{
    if (!trace->is_on)
        return;
    waiting_note_loss(trace->waiting, regions_now());
    trace->cpus[cpu].is_known = false;
    trace->cpus[cpu].has_begun = true;
    trace->cpus[cpu].has_stack = false;
}

void perf_trace_take_stack(struct perf_trace *trace, uint32_t cpu,
                           const struct perf_sample *sample,
                           const struct perf_stack *stack)
{
    struct perf_trace_cpu *c = &trace->cpus[cpu];

    c->has_stack = true;
    c->stack = (struct sched_stack){.process = sample->process,
                                    .thread = sample->thread,
                                    .end = stack->end,
                                    .n_pcs = stack->n_pcs};
    memcpy(c->pcs, stack->pcs, stack->n_pcs * sizeof(*stack->pcs));
}

/* A CPU that was idle since then has nothing that says so, but for this. */
static void write_cpus(struct perf_trace *trace, uint64_t time)
{
    for (uint32_t cpu = 0; trace->is_on && cpu < regions.n; cpu++) {
        const struct perf_trace_cpu *c = &trace->cpus[cpu];

        if (c->is_known && c->has_begun)
            sched_write_switch((struct switch_record){time, cpu, FXT_THREAD_RUNNING,
                                                      c->thread, c->thread});
    }
}

void perf_trace_stop(struct perf_trace *trace)
{
    write_cpus(trace, regions_now());
}

void perf_trace_end_archive(struct perf_trace *trace, uint64_t time)
{
    trace->boundary_ns = trace->last_ns > time ? trace->last_ns : time;
    write_cpus(trace, trace->boundary_ns);
}

void perf_trace_begin_archive(struct perf_trace *trace)
{
    write_cpus(trace, trace->boundary_ns);
    waiting_write(trace->waiting, trace->boundary_ns);
}

/* ---- Wakeups ----------------------------------------------------------------------- */

/* Bytes 2 of all tracepoints' data: where the code ran. */
enum { FLAGS_OFFSET = 2, IN_INTERRUPT = 0x08 };

static bool read_wakeup(const struct perf_trace *trace,
                        const struct perf_event_header *record, struct wakeup_record *w)
{
    struct perf_body body = perf_body_of(record);
    uint32_t size;
    const unsigned char *data;

    w->time = perf_read_time(record);
    if (!perf_body_skip(&body, 12) || !perf_body_take(&body, &w->waker, 4) ||
        !perf_body_skip(&body, 16) || !perf_body_take(&body, &size, 4) ||
        size > body.left || size < 4 || trace->waking.thread_offset > size - 4 ||
        trace->waking.cpu_offset > size - 4)
        return false;
    data = body.at;
    memcpy(&w->thread, data + trace->waking.thread_offset, 4);
    memcpy(&w->cpu, data + trace->waking.cpu_offset, 4);
    if ((data[FLAGS_OFFSET] & IN_INTERRUPT) != 0)
        w->waker = 0;
    return w->cpu <= UINT16_MAX;
}

void perf_trace_take_wakeup(struct perf_trace *trace, uint32_t cpu,
                            const struct perf_event_header *record, bool of_system)
{
    struct wakeup_record w;

    if (!trace->is_on || !read_wakeup(trace, record, &w) || w.time < trace->since_ns ||
        (!of_system && !is_marked(trace, w.thread)))
        return;
    sched_write_wakeup(cpu, &w);
    waiting_wake(trace->waiting, &w);
    note_time(trace, w.time);
}
