/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_filter.h. */
#include "perf_filter.h"

#include "perf_record.h"

/* A fork for so many samples loses half a sample of them. */
enum { FORKS_MIN = 16, SAMPLES_PER_FORK = 32 };

static struct perf_event_id id_of(const struct perf_events *events,
                                  const struct perf_event_header *record)
{
    return perf_event_ids_find(&events->ids, perf_read_id(record));
}

/* What belongs to several targets is sampled for each, and taken once. */
static bool takes_sample(struct perf_filter *filter, const struct perf_events *events,
                         const struct perf_event_header *record)
{
    struct perf_event_id id = id_of(events, record);
    pid_t process;
    pid_t thread;

    if (id.role == PERF_WAKEUPS)
        return true;
    filter->n_samples += id.number == 0;
    if (filter->has_system)
        return id.source == PERF_OF_SYSTEM;
    if (id.source == PERF_OF_TASK || !perf_read_owner(record, &process, &thread))
        return true;
    return perf_tree_has(&filter->tree, process, thread) == (id.source == PERF_OF_TREE);
}

/* Those of threads and processes are only of these. */
static bool takes_event(const struct perf_filter *filter,
                        const struct perf_events *events,
                        const struct perf_event_header *record, pid_t process)
{
    return filter->has_system || filter->has_cgroup ||
           id_of(events, record).source == PERF_OF_TASK ||
           perf_tree_observes(&filter->tree, process);
}

static bool takes_fork(struct perf_filter *filter, const struct perf_events *events,
                       const struct perf_event_header *record,
                       const struct fxt_sampler_event *fork)
{
    bool is_of_task = id_of(events, record).source == PERF_OF_TASK;

    if (is_of_task && perf_tree_has_process(&filter->tree, fork->parent)) {
        filter->n_forks++;
        filter->n_forks_in_all++;
    }
    filter->has_failed = !perf_tree_fork(&filter->tree, fork) || filter->has_failed;
    return takes_event(filter, events, record, fork->process);
}

static bool takes_exit(struct perf_filter *filter, const struct perf_events *events,
                       const struct perf_event_header *record)
{
    pid_t process;
    pid_t thread;
    bool is_wanted;

    if (!perf_read_exit(record, &process, &thread))
        return true;
    is_wanted = takes_event(filter, events, record, process);
    perf_tree_exit(&filter->tree, process, thread);
    return is_wanted;
}

/* One that calls exec has a main thread again. */
static bool takes_change(struct perf_filter *filter, const struct perf_events *events,
                         const struct perf_event_header *record,
                         const struct fxt_sampler_event *event)
{
    if (event->kind == FXT_SAMPLER_EXECUTED &&
        perf_tree_has_process(&filter->tree, event->process))
        perf_tree_add_process(&filter->tree, event->process);
    return takes_event(filter, events, record, event->process);
}

/* Those of the system have all. */
static bool takes_switch(const struct perf_filter *filter,
                         const struct perf_events *events,
                         const struct perf_event_header *record)
{
    return !filter->has_system || id_of(events, record).source == PERF_OF_SYSTEM;
}

bool perf_filter_takes(struct perf_filter *filter, const struct perf_events *events,
                       const struct perf_event_header *record)
{
    struct fxt_sampler_event event;

    if (record->type == PERF_RECORD_SAMPLE)
        return takes_sample(filter, events, record);
    if (record->type == PERF_RECORD_SWITCH || record->type == PERF_RECORD_SWITCH_CPU_WIDE)
        return takes_switch(filter, events, record);
    if (record->type == PERF_RECORD_EXIT)
        return takes_exit(filter, events, record);
    if (record->type == PERF_RECORD_LOST && events->has_tree_samples)
        filter->has_failed = !perf_tree_read(&filter->tree) || filter->has_failed;
    if (!perf_read_event(record, false, &event))
        return true;
    if (event.kind == FXT_SAMPLER_FORKED)
        return takes_fork(filter, events, record, &event);
    return takes_change(filter, events, record, &event);
}

bool perf_filter_has_short_threads(const struct perf_filter *filter)
{
    return filter->n_forks >= FORKS_MIN &&
           filter->n_forks * SAMPLES_PER_FORK > filter->n_samples;
}

void perf_filter_age(struct perf_filter *filter)
{
    filter->n_forks -= filter->n_forks / 16;
    filter->n_samples -= filter->n_samples / 16;
}
