/* SPDX-License-Identifier: BSD-2-Clause */
/* See shard.h. */
#include "shard.h"

void shard_start(struct shard *shard, const struct collect *whole)
{
    const struct profile *p = &whole->builder->profile;

    shard->collect = *whole;
    shard->collect.builder = &shard->builder;
    shard->collect.modules = &shard->modules;
    /* Heaps are not in regions, and what goes to one here is not for several threads. */
    shard->collect.heap = NULL;
    shard->collect.blobs = NULL;
    shard->collect.summary = NULL;
    shard->modules = (struct modules){.n_modules = 0};
    profile_builder_init(&shard->builder);
    for (uint32_t i = 0; i < p->n_types; i++)
        profile_builder_add_type(&shard->builder, p->types[i].type, p->types[i].unit);
}

void shard_end(struct shard *shard, struct collect *whole)
{
    tally_merge(&whole->tally, &shard->collect.tally);
    sample_times_merge(&whole->times, &shard->collect.times);
    profile_builder_merge(whole->builder, &shard->builder);
    shard_drop(shard);
}

void shard_drop(struct shard *shard)
{
    profile_builder_free(&shard->builder);
    modules_free(&shard->modules);
    collect_free(&shard->collect);
}
