/* SPDX-License-Identifier: BSD-2-Clause */
/* See fxt/profile_summary.h. */
#include <fxt/profile_summary.h>

#include "walk.h"

/* ---- By name ----------------------------------------------------------------------- */

/* The numbers are the same as the public ones. */
_Static_assert((int)SUMMARY_SPANS == FXT_PROFILE_SUMMARY_SPANS, "");
_Static_assert((int)SUMMARY_ASYNC == FXT_PROFILE_SUMMARY_ASYNC, "");
_Static_assert((int)SUMMARY_FLOWS == FXT_PROFILE_SUMMARY_FLOWS, "");
_Static_assert((int)SUMMARY_INSTANTS == FXT_PROFILE_SUMMARY_INSTANTS, "");

static const struct event_summary *summary_of(const struct fxt_profile *profile)
{
    return &model_of(profile)->summary;
}

size_t fxt_profile_n_summaries(const struct fxt_profile *profile,
                               enum fxt_profile_summary_kind kind)
{
    return (unsigned)kind < SUMMARY_KINDS ? summary_of(profile)->kinds[kind].n : 0;
}

enum fxt_code fxt_profile_get_summary(const struct fxt_profile *profile,
                                      enum fxt_profile_summary_kind kind, size_t i,
                                      struct fxt_profile_summary *summary)
{
    const struct event_summary *all = summary_of(profile);
    const struct summary_row *row;

    *summary = (struct fxt_profile_summary){.count = 0};
    if (i >= fxt_profile_n_summaries(profile, kind))
        return FXT_E_INVALID;
    row = &all->kinds[kind].rows[i];
    *summary = (struct fxt_profile_summary){
        .name = entry_of(&all->strings, row->name),
        .category = entry_of(&all->strings, row->category),
        .count = row->count,
        .n_unfinished = row->n_unfinished,
        .total_ns = row->total_ns,
        .self_ns = row->self_ns,
        .durations_ns = row->times,
        .n_durations = row->n_times,
        .steps_ns = row->steps,
        .n_steps = row->n_steps,
    };
    return FXT_OK;
}

/* ---- Counters ---------------------------------------------------------------------- */

/* Values are handed out as they are. */
_Static_assert(sizeof(struct summary_value) == sizeof(struct fxt_profile_counter_value),
               "");

size_t fxt_profile_n_counters(const struct fxt_profile *profile)
{
    return summary_of(profile)->n_counters;
}

enum fxt_code fxt_profile_get_counter(const struct fxt_profile *profile, size_t i,
                                      struct fxt_profile_counter *counter)
{
    const struct profile *p = model_of(profile);
    const struct event_summary *all = &p->summary;
    const struct summary_counter *from;

    *counter = (struct fxt_profile_counter){.id = 0};
    if (i >= all->n_counters)
        return FXT_E_INVALID;
    from = &all->counters[i];
    *counter = (struct fxt_profile_counter){
        .name = entry_of(&all->strings, from->name),
        .category = entry_of(&all->strings, from->category),
        .series = entry_of(&all->strings, from->series),
        .id = from->id,
        .process = boots_koid(&p->koid_names.boots, from->process).koid,
        .process_name =
            name_of(p, (struct koid_names_id){KOID_PROCESS, from->process, 0}),
        .values = (const struct fxt_profile_counter_value *)(const void *)&all
                      ->values[from->first],
        .n_values = from->n,
    };
    return FXT_OK;
}

/* ---- Threads ----------------------------------------------------------------------- */

size_t fxt_profile_n_thread_times(const struct fxt_profile *profile)
{
    return summary_of(profile)->n_threads;
}

enum fxt_code fxt_profile_get_thread_times(const struct fxt_profile *profile, size_t i,
                                           struct fxt_profile_thread_times *times)
{
    const struct profile *p = model_of(profile);
    const struct boots *boots = &p->koid_names.boots;
    const struct summary_thread *from;

    *times = (struct fxt_profile_thread_times){.process = 0};
    if (i >= p->summary.n_threads)
        return FXT_E_INVALID;
    from = &p->summary.threads[i];
    *times = (struct fxt_profile_thread_times){
        .process = boots_koid(boots, from->process).koid,
        .thread = boots_koid(boots, from->thread).koid,
        .process_name =
            name_of(p, (struct koid_names_id){KOID_PROCESS, from->process, 0}),
        .thread_name = name_of(p, (struct koid_names_id){KOID_THREAD, from->thread, 0}),
        .run_ns = from->run_ns,
        .wait_ns = from->wait_ns,
        .blocked_ns = from->blocked_ns,
        .unknown_ns = from->unknown_ns,
        .n_switches = from->n_switches,
        .n_migrations = from->n_migrations,
    };
    return FXT_OK;
}

/* ---- Times ------------------------------------------------------------------------- */

bool fxt_profile_summary_times(const struct fxt_profile *profile, uint64_t *first_ns,
                               uint64_t *last_ns)
{
    const struct event_summary *all = summary_of(profile);

    *first_ns = all->has_times ? all->first_ns : 0;
    *last_ns = all->has_times ? all->last_ns : 0;
    return all->has_times;
}
