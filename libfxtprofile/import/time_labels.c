/* SPDX-License-Identifier: BSD-2-Clause */
/* See time_labels.h. */
#include "time_labels.h"

void time_labels_set_names(const struct koid_names *names, struct profile_labels *labels,
                           uint64_t time_ns, uint64_t n_given)
{
    uint64_t process = labels->process;

    if (!names->has_changes)
        return;
    if (process == 0)
        process = koid_names_process(names, labels->thread);
    labels->process_name =
        koid_names_name_at(names, KOID_PROCESS, process, time_ns, n_given);
    labels->thread_name =
        koid_names_name_at(names, KOID_THREAD, labels->thread, time_ns, n_given);
}

/* Gives one occurrence of a sample the labels and the epoch of its time. */
static void separate_sample(struct profile_builder *b, const struct mapping_times *times,
                            const int64_t *values, const struct time_log_reader *entry,
                            uint64_t n_given)
{
    const struct profile *p = &b->profile;
    struct profile_labels labels = p->labels[p->samples[entry->sample].labels];
    uint64_t process = labels.process;
    uint32_t epoch;

    if (process == 0)
        process = koid_names_process(&p->koid_names, labels.thread);
    epoch = mapping_times_epoch(times, process, entry->time_ns);
    time_labels_set_names(&p->koid_names, &labels, entry->time_ns, n_given);
    if (epoch == 0 && labels.process_name == 0 && labels.thread_name == 0)
        return;
    labels.process = process;
    profile_builder_relabel(b, entry->sample, &labels, epoch, values);
}

void time_labels_separate(struct profile_builder *b, const struct mapping_times *times,
                          const int64_t *values)
{
    struct time_log_reader entry = {.at = 0};
    bool matters = times->n_processes > 0 || b->profile.koid_names.has_changes;
    uint64_t n_given = 0;

    profile_builder_settle(b);
    while (matters && time_log_next(&b->log, &entry)) {
        if (entry.sample == TIME_LOG_MARK)
            n_given = entry.time_ns;
        else
            separate_sample(b, times, values, &entry, n_given);
    }
    profile_builder_settle(b);
    time_log_free(&b->log);
}
