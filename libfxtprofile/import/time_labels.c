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

/* Gives one occurrence of a sample the labels and the epoch of its time; and, where
 * moments are kept, its process, which is otherwise found later and for all at once. */
static void separate_sample(struct profile_builder *b, const struct epochs *epochs,
                            const int64_t *values, struct profile_moment entry,
                            uint64_t n_given)
{
    const struct profile *p = &b->profile;
    struct profile_labels labels = p->labels[p->samples[entry.sample].labels];
    uint64_t process = labels.process;
    bool has_process = true;
    uint32_t epoch;

    if (process == 0)
        process = koid_names_process(&p->koid_names, labels.thread);
    if (b->moments.is_kept)
        has_process = process == labels.process;
    epoch = epochs_find(epochs, process, entry.time_ns);
    time_labels_set_names(&p->koid_names, &labels, entry.time_ns, n_given);
    if (has_process && epoch == 0 && labels.process_name == 0 &&
        labels.thread_name == 0) {
        if (b->moments.is_kept)
            moments_add(&b->moments, entry.sample, entry.time_ns);
        return;
    }
    labels.process = process;
    profile_builder_relabel(b, entry.sample, &labels, epoch, values);
    if (b->moments.is_kept)
        profile_builder_log_time(b, entry.time_ns);
}

/* Whether some samples get their process only now. */
static bool lack_processes(const struct profile *p)
{
    for (size_t i = 0; i < p->n_labels; i++) {
        if (p->labels[i].process == 0 &&
            koid_names_process(&p->koid_names, p->labels[i].thread) != 0)
            return true;
    }
    return false;
}

/* What comes from the log or the moments: `n_given` is the last mark. */
struct separating {
    struct profile_builder *builder;
    const struct epochs *epochs;
    const int64_t *values;
    uint64_t n_given;
};

static void take_entry(struct separating *s, struct profile_moment entry)
{
    if (entry.sample == TIME_LOG_MARK)
        s->n_given = entry.time_ns;
    else
        separate_sample(s->builder, s->epochs, s->values, entry, s->n_given);
}

static void separate_logged(struct separating *s)
{
    struct time_log_reader entry = {.at = 0};

    while (time_log_next(&s->builder->log, &entry))
        take_entry(s, (struct profile_moment){entry.time_ns, entry.sample});
}

/* Each moment is taken before what becomes of it, one moment at most, is added. */
static void separate_moments(struct separating *s)
{
    struct moments *moments = &s->builder->moments;
    size_t n = moments->n;

    moments->n = 0;
    for (size_t i = 0; i < n; i++)
        take_entry(s, moments->all[i]);
}

void time_labels_separate(struct profile_builder *b, const struct epochs *epochs,
                          const int64_t *values)
{
    struct separating s = {b, epochs, values, 0};
    bool is_timeline = b->moments.is_kept;
    bool matters = epochs->n > 0 || b->profile.koid_names.has_changes;

    profile_builder_settle(b);
    if (is_timeline && (matters || lack_processes(&b->profile)))
        separate_moments(&s);
    else if (matters)
        separate_logged(&s);
    profile_builder_settle(b);
    time_log_free(&b->log);
}
