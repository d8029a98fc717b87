/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of what threads did: where they ran, and why they did not. */
#include "events.h"

static void produce_run(struct producer *p, const struct fxt_profile_run *run)
{
    if (run->thread == FXT_PROFILE_NONE)
        return;
    PRODUCE_ROW(p, SCHEMA_SCHED, cell_time(p, run->from_ns),
                cell_duration(run->to_ns - run->from_ns),
                cell_id(p->threads.of_event_threads[run->thread]), cell_int(run->cpu),
                cell_word("running"), cell_null());
}

/* The arguments are those of fxt/profile_events.h: "cpu", and "woken by". */
static void produce_wait(struct producer *p, const struct event_walk *w)
{
    const struct fxt_profile_event *e = &w->event;
    uint32_t utid = p->threads.of_event_threads[e->thread];
    struct cell cpu = cell_null();
    struct cell waker = cell_null();
    struct fxt_profile_event_arg arg;

    if (fxt_profile_get_event_arg(p->profile, w->index, 0, &arg) == FXT_OK)
        cpu = cell_int((int64_t)arg.number);
    if (fxt_profile_get_event_arg(p->profile, w->index, 1, &arg) == FXT_OK)
        waker = cell_id(thread_ids_find(&p->threads, utid, arg.number));
    PRODUCE_ROW(p, SCHEMA_SCHED, cell_time(p, e->time_ns),
                cell_duration(e->end_ns - e->time_ns), cell_id(utid), cpu,
                cell_string(p, e->name), waker);
}

void produce_sched(struct producer *p)
{
    struct event_walk w = {.kinds = EVENTS_OF(OFF_CPU)};
    struct fxt_profile_run run;

    for (size_t i = 0;
         !p->has_failed && fxt_profile_get_run(p->profile, i, &run) == FXT_OK; i++)
        produce_run(p, &run);
    while (events_next(&w, p))
        produce_wait(p, &w);
}
