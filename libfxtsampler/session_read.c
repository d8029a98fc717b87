/* SPDX-License-Identifier: BSD-2-Clause */
/* See session.h: what a session has sampled. */
#include "session.h"

#include <string.h>

static void add_counts(struct fxt_sampler_counts *counts, struct region *region)
{
    counts->samples += atomic_load(&region->samples);
    counts->dropped += atomic_load(&region->dropped);
    counts->dropped_bytes += atomic_load(&region->dropped_bytes);
    counts->others += atomic_load(&region->others);
    counts->others_dropped += atomic_load(&region->others_dropped);
    counts->lost += atomic_load(&region->lost);
    counts->throttled += atomic_load(&region->throttled);
    counts->busy += atomic_load(&region->busy);
    counts->skipped += atomic_load(&region->skipped);
    counts->merged += atomic_load(&region->merged);
}

void session_count(const struct fxt_sampler *sampler, struct fxt_sampler_counts *counts)
{
    for (uint32_t cpu = 0; cpu < regions.n; cpu++)
        add_counts(counts, &regions.all[cpu]);
    counts->cpus_came = atomic_load(&sampler->cpus_came);
    counts->cpus_went = atomic_load(&sampler->cpus_went);
    sampler->method->take_times(sampler, counts);
}

enum fxt_sampler_code fxt_sampler_count(const struct fxt_sampler *sampler,
                                        struct fxt_sampler_counts *counts)
{
    memset(counts, 0, sizeof(*counts));
    if (!session_enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    session_count(sampler, counts);
    return session_leave(FXT_SAMPLER_OK);
}

/* The region number `index` of those that are shown, or NULL. */
static struct region *find_region(uint32_t index)
{
    for (uint32_t cpu = 0; cpu < regions.n; cpu++) {
        struct region *region = &regions.all[cpu];

        /* With signals a sample may come from a CPU that was just hot-added. */
        if (!region->is_shown && region->emit.pos == 0 && !region->emit.full)
            continue;
        if (index-- == 0)
            return region;
    }
    return NULL;
}

/* When something was dropped, or lost before it got here. */
static void take_drop_times(struct fxt_sampler_region *to, struct region *region)
{
    uint64_t first_loss = atomic_load(&region->first_loss);
    uint64_t last_loss = atomic_load(&region->last_loss);
    bool has_drops = region->emit.dropped_records > 0;

    if (first_loss == 0)
        first_loss = last_loss;
    to->first_drop = has_drops ? region->emit.unreported_first : first_loss;
    to->last_drop = has_drops ? region->emit.unreported_last : last_loss;
    if (last_loss == 0)
        return;
    if (first_loss < to->first_drop)
        to->first_drop = first_loss;
    if (last_loss > to->last_drop)
        to->last_drop = last_loss;
}

static bool read_region(uint32_t index, struct fxt_sampler_region *to)
{
    struct region *region = find_region(index);

    if (region == NULL)
        return false;
    to->cpu = (uint32_t)(region - regions.all);
    to->data = region->emit.words + region->n_removed;
    to->size = regions.size - region->n_removed * FXT_WORD_BYTES;
    to->used = (region->emit.pos - region->n_removed) * FXT_WORD_BYTES;
    add_counts(&to->counts, region);
    to->counts.samples -= region->n_removed_samples;
    take_drop_times(to, region);
    return true;
}

enum fxt_sampler_code fxt_sampler_read(const struct fxt_sampler *sampler, uint32_t index,
                                       struct fxt_sampler_region *to)
{
    bool is_there;

    memset(to, 0, sizeof(*to));
    if (!session_enter(sampler))
        return FXT_SAMPLER_E_NO_SESSION;
    if (sampler->is_running)
        return session_leave(FXT_SAMPLER_E_RUNNING);
    is_there = read_region(index, to);
    return session_leave(is_there ? FXT_SAMPLER_OK : FXT_SAMPLER_E_REGION);
}
