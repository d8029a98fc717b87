/* SPDX-License-Identifier: BSD-2-Clause */
/* See fxt/profile_events.h. */
#include <fxt/format.h>
#include <fxt/profile_events.h>

#include "walk.h"

/* ---- Events ------------------------------------------------------------------------ */

/* The numbers are the same as the public ones. */
_Static_assert((int)PROFILE_EVENT_SPAN == FXT_PROFILE_EVENT_SPAN, "");
_Static_assert((int)PROFILE_EVENT_ASYNC == FXT_PROFILE_EVENT_ASYNC, "");
_Static_assert((int)PROFILE_EVENT_COUNTER == FXT_PROFILE_EVENT_COUNTER, "");
_Static_assert((int)PROFILE_EVENT_FLOW_END == FXT_PROFILE_EVENT_FLOW_END, "");
_Static_assert((int)PROFILE_EVENT_OFF_CPU == FXT_PROFILE_EVENT_OFF_CPU, "");
_Static_assert((int)PROFILE_EVENT_DROPS == FXT_PROFILE_EVENT_DROPS, "");

size_t fxt_profile_n_events(const struct fxt_profile *profile)
{
    return model_of(profile)->events.n;
}

enum fxt_code fxt_profile_get_event(const struct fxt_profile *profile, size_t i,
                                    struct fxt_profile_event *event)
{
    const struct profile_events *all = &model_of(profile)->events;
    const struct profile_event *from;

    *event = (struct fxt_profile_event){.time_ns = 0};
    if (i >= all->n)
        return FXT_E_INVALID;
    from = &all->events[i];
    *event = (struct fxt_profile_event){
        .kind = (enum fxt_profile_event_kind)from->kind,
        .thread = from->thread,
        .time_ns = from->time_ns,
        .end_ns = from->end_ns,
        .id = from->id,
        .name = entry_of(&all->strings, from->name),
        .category = entry_of(&all->strings, from->category),
        .n_args = from->n_args,
        .is_unfinished = from->is_unfinished,
        .end_thread = from->thread,
        .flow = FXT_PROFILE_NONE,
    };
    if (from->kind == PROFILE_EVENT_ASYNC && all->nesting != NULL)
        event->end_thread = all->nesting[i].end_thread;
    if (profile_event_is_of_flow(from) && all->nesting != NULL)
        event->flow = all->nesting[i].flow;
    return FXT_OK;
}

enum fxt_code fxt_profile_get_nesting(const struct fxt_profile *profile, size_t i,
                                      struct fxt_profile_nesting *nesting)
{
    const struct profile_events *all = &model_of(profile)->events;
    const struct profile_nesting *from;

    *nesting = (struct fxt_profile_nesting){.parent = FXT_PROFILE_NONE};
    if (i >= all->n || all->nesting == NULL || all->events[i].kind != PROFILE_EVENT_SPAN)
        return FXT_E_INVALID;
    from = &all->nesting[i];
    *nesting = (struct fxt_profile_nesting){from->parent, from->depth, from->self_ns};
    return FXT_OK;
}

enum fxt_code fxt_profile_get_event_arg(const struct fxt_profile *profile, size_t i,
                                        uint32_t arg, struct fxt_profile_event_arg *to)
{
    const struct profile *p = model_of(profile);
    const struct profile_events *all = &p->events;
    const struct profile_arg *from;

    *to = (struct fxt_profile_event_arg){.number = 0};
    if (i >= all->n || arg >= all->events[i].n_args)
        return FXT_E_INVALID;
    from = &all->args[all->events[i].first_arg + arg];
    to->name = entry_of(&all->strings, from->name);
    to->type = from->type;
    if (from->type == FXT_ARG_STRING || from->type == FXT_ARG_BLOB)
        to->string = entry_of(&all->strings, (uint32_t)from->value);
    else
        to->number = from->value;
    /* A CPU or a thread. */
    if (all->events[i].kind == PROFILE_EVENT_OFF_CPU)
        to->number = boots_koid(&p->koid_names.boots, from->value).koid;
    return FXT_OK;
}

/* ---- Threads ----------------------------------------------------------------------- */

size_t fxt_profile_n_event_threads(const struct fxt_profile *profile)
{
    return model_of(profile)->events.n_threads;
}

enum fxt_code fxt_profile_get_event_thread(const struct fxt_profile *profile, size_t i,
                                           struct fxt_profile_event_thread *thread)
{
    const struct profile *p = model_of(profile);
    struct profile_event_thread from;

    *thread = (struct fxt_profile_event_thread){.process = 0};
    if (i >= p->events.n_threads)
        return FXT_E_INVALID;
    from = p->events.threads[i];
    if (from.process == 0)
        from.process = koid_names_process(&p->koid_names, from.thread);
    *thread = (struct fxt_profile_event_thread){
        .process = boots_koid(&p->koid_names.boots, from.process).koid,
        .thread = boots_koid(&p->koid_names.boots, from.thread).koid,
        .process_name = name_of(p, (struct koid_names_id){KOID_PROCESS, from.process, 0}),
        .thread_name = name_of(p, (struct koid_names_id){KOID_THREAD, from.thread, 0}),
        .boot = boots_of(&p->koid_names.boots, from.process, from.thread),
    };
    return FXT_OK;
}

/* ---- Runs -------------------------------------------------------------------------- */

size_t fxt_profile_n_runs(const struct fxt_profile *profile)
{
    return model_of(profile)->events.scheduling.n_runs;
}

enum fxt_code fxt_profile_get_run(const struct fxt_profile *profile, size_t i,
                                  struct fxt_profile_run *run)
{
    const struct profile_scheduling *s = &model_of(profile)->events.scheduling;

    *run = (struct fxt_profile_run){.from_ns = 0};
    if (i >= s->n_runs)
        return FXT_E_INVALID;
    *run = (struct fxt_profile_run){.from_ns = s->runs[i].from_ns,
                                    .to_ns = s->runs[i].to_ns,
                                    .cpu = s->runs[i].cpu,
                                    .thread = s->runs[i].thread,
                                    .is_idle = s->runs[i].kind == PROFILE_RUN_IDLE};
    return FXT_OK;
}

/* ---- Times ------------------------------------------------------------------------- */

bool fxt_profile_wall_clock(const struct fxt_profile *profile, uint64_t *clock_ns,
                            uint64_t *wall_ns)
{
    const struct profile *p = model_of(profile);

    *clock_ns = p->has_wall_clock ? p->clock_ns : 0;
    *wall_ns = p->has_wall_clock ? p->wall_ns : 0;
    return p->has_wall_clock;
}

/* ---- Samples ----------------------------------------------------------------------- */

size_t fxt_profile_n_moments(const struct fxt_profile *profile)
{
    const struct profile *p = model_of(profile);

    return p->is_timeline && !p->is_of_heap ? p->n_moments : 0;
}

enum fxt_code fxt_profile_get_moment(const struct fxt_profile *profile, size_t i,
                                     struct fxt_profile_moment *moment)
{
    const struct profile_moment *moments = model_of(profile)->moments;

    *moment = (struct fxt_profile_moment){0, FXT_PROFILE_NONE};
    if (i >= fxt_profile_n_moments(profile))
        return FXT_E_INVALID;
    *moment = (struct fxt_profile_moment){moments[i].time_ns, moments[i].sample};
    return FXT_OK;
}
