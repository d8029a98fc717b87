/* SPDX-License-Identifier: BSD-2-Clause */
/* See shard.h. */
#include "shard.h"

#include <string.h>

void shard_start(struct shard *share, const struct collect *whole)
{
    const struct profile *p = &whole->builder->profile;

    share->collect = *whole;
    share->collect.builder = &share->builder;
    share->collect.modules = &share->modules;
    /* Heaps are not in regions, and what goes to one here is not for several threads. */
    share->collect.heap = NULL;
    share->modules = (struct modules){.n_modules = 0};
    profile_builder_init(&share->builder);
    for (uint32_t i = 0; i < p->n_types; i++)
        profile_builder_add_type(&share->builder, p->types[i].type, p->types[i].unit);
}

static void take_tally(struct tally *to, const struct tally *from)
{
    to->n_samples += from->n_samples;
    to->n_maybe_cut += from->n_maybe_cut;
    to->n_twice += from->n_twice;
    to->n_other_cpu += from->n_other_cpu;
    to->n_no_cpu += from->n_no_cpu;
    to->n_not_unwound += from->n_not_unwound;
    to->n_without_pcs += from->n_without_pcs;
    to->n_other_time += from->n_other_time;
    to->n_lost_mappings += from->n_lost_mappings;
    to->drops.records += from->drops.records;
    to->drops.bytes += from->drops.bytes;
    for (size_t cpu = 0; cpu < from->n_cpus; cpu++) {
        tally_cpu(to, cpu)->records += from->drops_by_cpu[cpu].records;
        tally_cpu(to, cpu)->bytes += from->drops_by_cpu[cpu].bytes;
    }
}

static void take_times(struct collect *to, const struct collect *from)
{
    if (from->has_time && (!to->has_time || from->first_ns < to->first_ns))
        to->first_ns = from->first_ns;
    if (from->has_time && (!to->has_time || from->last_ns > to->last_ns))
        to->last_ns = from->last_ns;
    to->has_time |= from->has_time;
    if (from->has_start && (!to->has_start || from->start_ns < to->start_ns))
        to->start_ns = from->start_ns;
    to->has_start |= from->has_start;
}

void shard_end(struct shard *share, struct collect *whole)
{
    take_tally(&whole->tally, &share->collect.tally);
    take_times(whole, &share->collect);
    profile_builder_merge(whole->builder, &share->builder);
    profile_builder_free(&share->builder);
    modules_free(&share->modules);
    collect_free(&share->collect);
}
