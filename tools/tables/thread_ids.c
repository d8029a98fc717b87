/* SPDX-License-Identifier: BSD-2-Clause */
/* See thread_ids.h. */
#include "thread_ids.h"

#include "common/base/memory.h"
#include "common/base/table_items.h"

/* Equal names of a profile are one string, which tables find by its address. */
static struct fxt_string key_name(struct fxt_string name)
{
    return name.size > 0 ? name : (struct fxt_string){NULL, 0, 0};
}

/* Returns 0 for one that is not known. */
static uint32_t find_process(struct thread_ids *ids,
                             const struct fxt_profile_event_thread *of)
{
    struct listed_process process = {
        .pid = of->process, .boot = of->boot, .name = key_name(of->process_name)};

    if (process.pid == 0)
        return 0;
    return TABLE_PUT(&ids->process_table, ids->processes, ids->n_processes,
                     ids->process_capacity, &process, pid, boot, name.data) +
           1;
}

static uint32_t find_thread(struct thread_ids *ids,
                            const struct fxt_profile_event_thread *from, uint32_t unknown)
{
    struct listed_thread thread = {
        .upid = find_process(ids, from),
        .unknown = from->thread == 0 ? unknown : 0,
        .boot = from->boot,
        .tid = from->thread,
        .name = key_name(from->thread_name),
    };

    return TABLE_PUT(&ids->thread_table, ids->threads, ids->n_threads,
                     ids->thread_capacity, &thread, upid, unknown, boot, tid, name.data) +
           1;
}

static void number_event_threads(struct thread_ids *ids,
                                 const struct fxt_profile *profile)
{
    size_t n = fxt_profile_n_event_threads(profile);
    struct fxt_profile_event_thread thread;

    ids->of_event_threads =
        (uint32_t *)memory_allocate(n * sizeof(*ids->of_event_threads));
    for (size_t i = 0; i < n; i++) {
        fxt_profile_get_event_thread(profile, i, &thread);
        ids->of_event_threads[i] = find_thread(ids, &thread, (uint32_t)i + 1);
    }
}

static void number_samples(struct thread_ids *ids, const struct fxt_profile *profile)
{
    size_t n = fxt_profile_n_samples(profile);
    struct fxt_profile_sample sample;

    ids->of_samples = (uint32_t *)memory_allocate(n * sizeof(*ids->of_samples));
    for (size_t i = 0; i < n; i++) {
        struct fxt_profile_event_thread thread;

        fxt_profile_get_sample(profile, i, &sample);
        thread = (struct fxt_profile_event_thread){sample.process, sample.thread,
                                                   sample.process_name,
                                                   sample.thread_name, sample.boot};
        if (sample.process != 0 || sample.thread != 0)
            ids->of_samples[i] = find_thread(ids, &thread, 0);
    }
}

static void list_numbers(struct thread_ids *ids)
{
    for (size_t i = 0; i < ids->n_threads; i++) {
        struct numbered_thread thread = {ids->threads[i].boot, ids->threads[i].tid,
                                         (uint32_t)i + 1};

        if (thread.tid != 0)
            (void)TABLE_PUT(&ids->number_table, ids->numbered, ids->n_numbered,
                            ids->numbered_capacity, &thread, boot, tid);
    }
}

void thread_ids_make(struct thread_ids *ids, const struct fxt_profile *profile)
{
    *ids = (struct thread_ids){.processes = NULL};
    number_event_threads(ids, profile);
    number_samples(ids, profile);
    list_numbers(ids);
}

uint32_t thread_ids_find(const struct thread_ids *ids, uint32_t beside, uint64_t tid)
{
    struct numbered_thread thread = {.boot = ids->threads[beside - 1].boot, .tid = tid};
    uint32_t number = TABLE_FIND(&ids->number_table, ids->numbered, &thread, boot, tid);

    return number != TABLE_NONE ? ids->numbered[number].utid : 0;
}
