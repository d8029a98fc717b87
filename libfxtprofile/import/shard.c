/* SPDX-License-Identifier: BSD-2-Clause */
/* See shard.h. */
#include "shard.h"

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

void shard_end(struct shard *share, struct collect *whole)
{
    tally_merge(&whole->tally, &share->collect.tally);
    sample_times_merge(&whole->times, &share->collect.times);
    profile_builder_merge(whole->builder, &share->builder);
    profile_builder_free(&share->builder);
    modules_free(&share->modules);
    collect_free(&share->collect);
}
