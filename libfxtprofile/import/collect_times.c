/* SPDX-License-Identifier: BSD-2-Clause */
/* See collect_times.h. */
#include "collect_times.h"

/* The time of the last sample before this place in the stream. */
static struct koid_names_moment find_moment(const struct collect *c)
{
    struct koid_names_moment moment = {WHO_SINCE_START, 0};

    if (c->clock == NULL)
        return moment;
    moment.since = WHO_SINCE_AFTER;
    fxt_ticks_to_ns(c->last_ticks, c->rate, &moment.time_ns);
    return moment;
}

void collect_name(struct collect *c, const struct fxt_record *record)
{
    struct koid_names *names = &c->builder->profile.koid_names;

    if (koid_names_take(names, record, find_moment(c)) && c->logs_times)
        profile_builder_log_mark(c->builder, names->n_given);
}

void collect_choose_names(const struct collect *c, struct profile_labels *labels,
                          uint64_t time_ns, uint64_t n_given)
{
    const struct koid_names *names = &c->builder->profile.koid_names;
    uint64_t process = labels->process;

    if (!names->has_changes)
        return;
    if (process == 0)
        process = koid_names_process(names, labels->thread);
    labels->process_name =
        koid_names_name_at(names, WHO_PROCESS, process, time_ns, n_given);
    labels->thread_name =
        koid_names_name_at(names, WHO_THREAD, labels->thread, time_ns, n_given);
}

/* Gives a sample the labels that it has at its time. */
static void relabel(struct collect *c, uint32_t sample, uint64_t time_ns,
                    uint64_t n_given)
{
    const struct profile *p = &c->builder->profile;
    struct profile_labels labels = p->labels[p->samples[sample].labels];
    uint64_t process = labels.process;
    uint32_t epoch;

    if (process == 0)
        process = koid_names_process(&p->koid_names, labels.thread);
    epoch = mapping_times_epoch(&c->modules->times, process, time_ns);
    collect_choose_names(c, &labels, time_ns, n_given);
    if (epoch == 0 && labels.process_name == 0 && labels.thread_name == 0)
        return;
    labels.process = process;
    profile_builder_relabel(c->builder, sample, &labels, epoch, c->values);
}

/* Tells apart equal samples that were before and after something was mapped in the place
 * of something else, or had another name. */
void collect_use_times(struct collect *c)
{
    struct profile_builder *b = c->builder;
    struct time_log_reader reader = {.at = 0};
    bool matters = c->modules->times.n_processes > 0 || b->profile.koid_names.has_changes;
    uint64_t n_given = 0;

    profile_builder_settle(b);
    while (matters && time_log_next(&b->log, &reader)) {
        if (reader.sample == TIME_LOG_MARK)
            n_given = reader.time_ns;
        else
            relabel(c, reader.sample, reader.time_ns, n_given);
    }
    profile_builder_settle(b);
    time_log_free(&b->log);
}
