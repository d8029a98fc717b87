/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scheduling in a trace of Perfetto, as the Linux kernel's events sched_switch and
 * sched_waking, from which Perfetto makes what each CPU ran and the state of each thread.
 *
 * An event is of a CPU, and those of a CPU are in the order of time. Each names the
 * thread that the one before it has switched to, even where the archive's records
 * contradict each other: while it is not known what a CPU runs, that is a thread
 * "[unknown]" of the CPU, and the state of a thread of which nothing is known is none
 * that the kernel's schedulers leave threads in. A thread that waits without having run
 * before, as far as is known, is switched to and away at one time.
 *
 * An event of a lower CPU is taken for the earlier one of two at the same time.
 */
#include "perfetto.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/quote.h"
#include "common/base/sort.h"
#include "libfxtprofile/output/protobuf.h"
#include "perfetto_fields.h"

/* States of threads that the kernel reports, and the priority of most threads. */
enum linux_state {
    LINUX_RUNNABLE = 0,
    LINUX_SLEEPS = 1,
    LINUX_STOPPED = 4,
    LINUX_DEAD = 16,
    LINUX_NO_LOAD = 0x400
};
enum { LINUX_PRIORITY = 120, LINUX_HARD_IRQ = 8, LINUX_COMM_MAX = 15 };

/* In place of a track. */
#define TRACK_IDLE UINT32_MAX
#define TRACK_UNKNOWN (UINT32_MAX - 1)

enum { BUNDLE_MAX = 1 << 15 };

/* ---- The order --------------------------------------------------------------------- */

/* What happens on a CPU; of one time, in this order. */
enum item_kind {
    /* A thread is woken at the time at which it runs. */
    ITEM_WAKEUP_FIRST,
    /* A thread that does not run from here on, and has not run. */
    ITEM_WAIT,
    ITEM_RUN,
    ITEM_WAKEUP
};

struct item {
    uint64_t time_ns;
    uint32_t cpu;
    /* Among the runs or waits. */
    uint32_t number;
    enum item_kind kind;
};

SORT_ORDER(order_items, struct item, BY(cpu) || BY(time_ns) || BY(kind) || BY(number));

/* Readers refuse a trace with more CPUs. */
static bool is_readable(uint32_t cpu)
{
    return cpu < PERFETTO_CPUS_MAX;
}

static size_t add_wait_items(struct item *items, const struct profile_wait *wait,
                             uint32_t number)
{
    size_t n = 0;

    if (!is_readable(wait->cpu))
        return 0;
    if (!wait->follows_run && !wait->is_start)
        items[n++] = (struct item){wait->from_ns, wait->cpu, number, ITEM_WAIT};
    if (wait->is_woken)
        items[n++] = (struct item){wait->woken_ns, wait->cpu, number,
                                   wait->woken_ns == wait->to_ns ? ITEM_WAKEUP_FIRST
                                                                 : ITEM_WAKEUP};
    return n;
}

static size_t sort_items(const struct profile_scheduling *s, struct item *items)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_runs; i++) {
        if (is_readable(s->runs[i].cpu))
            items[n++] =
                (struct item){s->runs[i].from_ns, s->runs[i].cpu, (uint32_t)i, ITEM_RUN};
    }
    for (size_t i = 0; i < s->n_waits; i++)
        n += add_wait_items(items + n, &s->waits[i], (uint32_t)i);
    SORT(items, n, order_items);
    return n;
}

size_t perfetto_count_unreadable(const struct profile_scheduling *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_runs; i++)
        n += !is_readable(s->runs[i].cpu);
    return n;
}

/* ---- Events ------------------------------------------------------------------------ */

/* What a CPU runs, until when, UINT64_MAX for as long as nothing else is known; and how a
 * thread is left. */
struct occupant {
    uint64_t end_ns;
    uint32_t track;
    enum profile_run_state state;
};

struct sched_writer {
    struct perfetto *f;
    /* By track, where its name as of a command begins in `comms`. */
    struct text comms;
    size_t *comm_starts;
    /* The CPU whose events are written, and what it runs; `below` is what it goes on to
     * run after threads that it was only switched to and away. */
    uint32_t cpu;
    /* The id of its thread that stands for what is not known; 0 if it has none yet. */
    uint32_t unknown_tid;
    bool is_seen;
    bool has_below;
    struct occupant now;
    struct occupant below;
};

static const struct occupant unknown_occupant = {UINT64_MAX, TRACK_UNKNOWN,
                                                 PROFILE_STATE_RUNNABLE};

/* A name as the kernel cuts it, between characters. It is in each event: whole names of
 * any length would make a trace too large. Descriptors of tracks have them. */
static void add_comm(struct sched_writer *w, const struct track *track)
{
    struct text name = {NULL, 0, 0};
    struct text valid = {NULL, 0, 0};
    size_t size;

    tracks_name_thread(&w->f->tracks, track, &name);
    quote_utf8(&valid, name.data, name.size);
    size = valid.size < LINUX_COMM_MAX ? valid.size : LINUX_COMM_MAX;
    while (size < valid.size && size > 0 &&
           ((unsigned char)valid.data[size] & 0xc0) == 0x80)
        size--;
    text_add(&w->comms, valid.data, size);
    text_free(&name);
    text_free(&valid);
}

static void make_comms(struct sched_writer *w)
{
    const struct tracks *tracks = &w->f->tracks;

    w->comm_starts = (size_t *)memory_reserve((tracks->n + 1) * sizeof(*w->comm_starts));
    for (size_t i = 0; i < tracks->n; i++) {
        w->comm_starts[i] = w->comms.size;
        add_comm(w, &tracks->tracks[i]);
    }
    w->comm_starts[tracks->n] = w->comms.size;
}

static void put_comm(const struct sched_writer *w, unsigned field, uint32_t track)
{
    static const char idle[] = "swapper";
    static const char unknown[] = "[unknown]";
    struct text *message = &w->f->stack;

    if (track == TRACK_IDLE)
        proto_bytes(message, field, idle, strlen(idle));
    else if (track == TRACK_UNKNOWN)
        proto_bytes(message, field, unknown, strlen(unknown));
    else
        proto_bytes(message, field, w->comms.data + w->comm_starts[track],
                    w->comm_starts[track + 1] - w->comm_starts[track]);
}

static uint32_t tid_of(struct sched_writer *w, uint32_t track)
{
    if (track == TRACK_IDLE)
        return 0;
    if (track != TRACK_UNKNOWN)
        return w->f->tracks.tracks[track].tid;
    if (w->unknown_tid == 0)
        w->unknown_tid = tracks_add_id(&w->f->tracks);
    return w->unknown_tid;
}

static void flush_bundle(struct sched_writer *w)
{
    if (w->f->message.size > 0)
        perfetto_write(w->f, PACKET_FTRACE_EVENTS);
}

/* Adds the event that was made as f->stack to those of the CPU. */
static void add_event(struct sched_writer *w, uint64_t time_ns, uint32_t tid,
                      unsigned flags, unsigned field)
{
    struct perfetto *f = w->f;

    if (f->message.size == 0)
        proto_value(&f->message, BUNDLE_CPU, w->cpu);
    proto_value(&f->entry, FTRACE_TIMESTAMP, perfetto_time(f, time_ns));
    proto_value(&f->entry, FTRACE_PID, tid);
    if (field == FTRACE_SCHED_SWITCH)
        proto_text(&f->entry, field, &f->stack);
    proto_number(&f->entry, FTRACE_COMMON_FLAGS, flags);
    if (field != FTRACE_SCHED_SWITCH)
        proto_text(&f->entry, field, &f->stack);
    proto_text(&f->message, BUNDLE_EVENT, &f->entry);
    if (f->message.size >= BUNDLE_MAX)
        flush_bundle(w);
}

static enum linux_state state_number(enum profile_run_state state)
{
    switch (state) {
    case PROFILE_STATE_RUNNABLE:
        return LINUX_RUNNABLE;
    case PROFILE_STATE_BLOCKED:
        return LINUX_SLEEPS;
    case PROFILE_STATE_SUSPENDED:
        return LINUX_STOPPED;
    case PROFILE_STATE_EXITED:
        return LINUX_DEAD;
    case PROFILE_STATE_UNKNOWN:
    case PROFILE_STATE_GOES_ON:
        break;
    }
    return LINUX_NO_LOAD;
}

static void write_switch(struct sched_writer *w, uint64_t time_ns,
                         enum profile_run_state state, struct occupant next)
{
    struct text *message = &w->f->stack;
    uint32_t tid = tid_of(w, w->now.track);
    bool is_thread = w->now.track != TRACK_IDLE && w->now.track != TRACK_UNKNOWN;

    put_comm(w, SWITCH_PREV_COMM, w->now.track);
    proto_value(message, SWITCH_PREV_PID, tid);
    proto_value(message, SWITCH_PREV_PRIO, LINUX_PRIORITY);
    proto_value(message, SWITCH_PREV_STATE,
                is_thread ? state_number(state) : LINUX_RUNNABLE);
    put_comm(w, SWITCH_NEXT_COMM, next.track);
    proto_value(message, SWITCH_NEXT_PID, tid_of(w, next.track));
    proto_value(message, SWITCH_NEXT_PRIO, LINUX_PRIORITY);
    add_event(w, time_ns, tid, 0, FTRACE_SCHED_SWITCH);
    w->now = next;
}

/* What has no waker is of an interrupt. */
static void write_wakeup(struct sched_writer *w, const struct profile_wait *wait)
{
    const struct tracks *tracks = &w->f->tracks;
    struct text *message = &w->f->stack;
    uint32_t track = tracks->of_threads[wait->thread];
    bool has_waker = wait->waker != PROFILE_NO_THREAD;

    put_comm(w, WAKING_COMM, track);
    proto_value(message, WAKING_PID, tid_of(w, track));
    proto_value(message, WAKING_PRIO, LINUX_PRIORITY);
    proto_value(message, WAKING_TARGET_CPU, w->cpu);
    add_event(w, wait->woken_ns,
              has_waker ? tid_of(w, tracks->of_threads[wait->waker]) : 0,
              has_waker ? 0 : LINUX_HARD_IRQ, FTRACE_SCHED_WAKING);
}

/* ---- What a CPU runs --------------------------------------------------------------- */

/* How the thread is left that runs until now. */
static enum profile_run_state state_now(const struct sched_writer *w, uint64_t time_ns)
{
    return w->now.end_ns == time_ns ? w->now.state : PROFILE_STATE_RUNNABLE;
}

/* To what it runs after what has ended; unknown if that is all. */
static struct occupant next_occupant(struct sched_writer *w)
{
    bool goes_on = w->has_below && w->below.end_ns > w->now.end_ns;

    w->has_below = false;
    return goes_on ? w->below : unknown_occupant;
}

/* Until before a time. */
static void advance(struct sched_writer *w, uint64_t time_ns)
{
    while (w->is_seen && w->now.end_ns < time_ns)
        write_switch(w, w->now.end_ns, w->now.state, next_occupant(w));
}

static struct occupant occupant_of(const struct sched_writer *w,
                                   const struct profile_run *run)
{
    struct occupant occupant = {run->to_ns, TRACK_IDLE, PROFILE_STATE_GOES_ON};

    if (run->kind == PROFILE_RUN_UNKNOWN)
        occupant.track = TRACK_UNKNOWN;
    if (run->kind != PROFILE_RUN_BUSY)
        return occupant;
    occupant.track = w->f->tracks.of_threads[run->thread];
    occupant.state = (enum profile_run_state)run->state;
    return occupant;
}

/* Before its first event a CPU was idle: nothing is made of that. */
static void see_cpu(struct sched_writer *w, uint64_t time_ns)
{
    if (!w->is_seen)
        w->now = (struct occupant){time_ns, TRACK_IDLE, PROFILE_STATE_RUNNABLE};
    w->is_seen = true;
}

static void take_run(struct sched_writer *w, const struct profile_run *run)
{
    struct occupant next = occupant_of(w, run);

    see_cpu(w, run->from_ns);
    if (w->now.track == next.track && w->now.end_ns == run->from_ns &&
        w->now.state == PROFILE_STATE_GOES_ON) {
        w->now = next;
        return;
    }
    w->has_below = false;
    write_switch(w, run->from_ns, state_now(w, run->from_ns), next);
}

static void take_wait(struct sched_writer *w, const struct profile_wait *wait)
{
    struct occupant next = {wait->from_ns, w->f->tracks.of_threads[wait->thread],
                            (enum profile_run_state)wait->state};

    see_cpu(w, wait->from_ns);
    if (w->now.end_ns > wait->from_ns) {
        w->below = w->now;
        w->has_below = true;
    }
    write_switch(w, wait->from_ns, state_now(w, wait->from_ns), next);
}

/* What runs when the trace ends is switched to once more: so the time until then has an
 * end. */
static void finish_cpu(struct sched_writer *w)
{
    while (w->is_seen && w->now.end_ns != UINT64_MAX) {
        struct occupant last = {UINT64_MAX, w->now.track, PROFILE_STATE_RUNNABLE};

        if (w->now.state == PROFILE_STATE_GOES_ON)
            write_switch(w, w->now.end_ns, PROFILE_STATE_RUNNABLE, last);
        else
            write_switch(w, w->now.end_ns, w->now.state, next_occupant(w));
    }
    flush_bundle(w);
    w->unknown_tid = 0;
    w->is_seen = false;
    w->has_below = false;
}

static void take_item(struct sched_writer *w, const struct item *item)
{
    const struct profile_scheduling *s = &w->f->profile->events.scheduling;

    if (item->cpu != w->cpu) {
        finish_cpu(w);
        w->cpu = item->cpu;
    }
    advance(w, item->time_ns);
    switch (item->kind) {
    case ITEM_RUN:
        take_run(w, &s->runs[item->number]);
        break;
    case ITEM_WAIT:
        take_wait(w, &s->waits[item->number]);
        break;
    case ITEM_WAKEUP_FIRST:
    case ITEM_WAKEUP:
        write_wakeup(w, &s->waits[item->number]);
        break;
    }
}

void perfetto_write_scheduling(struct perfetto *f)
{
    const struct profile_scheduling *s = &f->profile->events.scheduling;
    struct sched_writer w = {.f = f};
    struct item *items;
    size_t n;

    if (s->n_runs == 0 && s->n_waits == 0)
        return;
    items = (struct item *)memory_reserve((s->n_runs + 2 * s->n_waits) * sizeof(*items));
    n = sort_items(s, items);
    make_comms(&w);
    for (size_t i = 0; i < n && !output_failed(f->output); i++)
        take_item(&w, &items[i]);
    finish_cpu(&w);
    memory_release(items);
    memory_release(w.comm_starts);
    text_free(&w.comms);
}
