/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The providers of the output. Those of different inputs are one if they are of one
 * machine and have the same id, name and clock: as in the parts of an archive that was
 * cut. Others that have the same id get another.
 */
#ifndef FXTMERGE_PROVIDERS_H
#define FXTMERGE_PROVIDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/writer.h>

#include "common/base/string_table.h"
#include "common/base/table.h"
#include "machines.h"

struct merged_provider {
    uint64_t machine;
    uint64_t id;
    uint64_t name;
    uint64_t ticks_per_second;
    /* What is added to its times, in its ticks. Up to here, it is found by them. */
    int64_t shift_ticks;
    int64_t shift_ns;
    /* In the output. */
    uint32_t number;
    bool announced;
    /* As in struct fxt_provider, with the shift. */
    bool has_base;
    uint64_t base_ticks;
    uint64_t base_wall_ns;
};

struct provider_number {
    uint64_t number;
};

/* All zero is none; provider 0 is current. */
struct merged_providers {
    struct merged_provider *all;
    size_t n;
    size_t capacity;
    struct table table;
    struct string_table names;
    /* The numbers that were given. */
    struct provider_number *numbers;
    size_t n_numbers;
    size_t numbers_capacity;
    struct table numbers_table;
    uint32_t next_number;
    uint32_t current;
};

/* The index of a provider, which is added if it is another one. */
size_t merged_providers_add(struct merged_providers *providers, size_t machine,
                            const struct fxt_provider *provider, int64_t shift_ticks,
                            int64_t shift_ns);

/* Writes what has to precede a record of a provider. */
void merged_providers_switch(struct merged_providers *providers, size_t index,
                             const struct machines *machines, struct fxt_writer *writer);

static inline void merged_providers_select(struct merged_providers *providers,
                                           size_t index, const struct machines *machines,
                                           struct fxt_writer *writer)
{
    const struct merged_provider *provider = &providers->all[index];

    if (!provider->announced || provider->number != providers->current)
        merged_providers_switch(providers, index, machines, writer);
}

void merged_providers_free(struct merged_providers *providers);

#endif
