/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The providers of one stream, by id, and which of them is current. Each has its own
 * tables and clock rate.
 */
#ifndef LIBFXT_PROVIDERS_H
#define LIBFXT_PROVIDERS_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/record.h>

#include "memory.h"
#include "tables.h"

struct provider {
    /* What the user sees. */
    struct fxt_provider shown;
    char name[FXT_PROVIDER_NAME_SIZE_MAX];
    struct tables tables;
};

struct providers {
    struct memory *memory;
    uint64_t default_ticks_per_second;
    struct provider *current;
    /* Provider 0, to which all belongs that comes before any other is named. */
    struct provider zero;
    /* Stands in for a provider that could not be kept: its tables stay empty, so that no
     * reference of one provider resolves in the tables of another. */
    struct provider lost;
    /* The others: a hash table by id with open addressing, at most three quarters full.
     */
    struct provider **slots;
    uint32_t n_slots;
    uint32_t n_used;
};

void providers_init(struct providers *providers, struct memory *memory,
                    uint64_t default_ticks_per_second);

/* The provider of this id, or NULL. */
struct provider *providers_find(struct providers *providers, uint32_t id);

/* Makes the provider of this id current, a new one if need be. Returns false where there
 * is no memory for it; a stand-in that keeps nothing is then current. */
bool providers_select(struct providers *providers, uint32_t id);

void providers_set_name(struct provider *provider, struct fxt_string name);

/* Whether what the current provider registers can be kept at all. */
static inline bool providers_keeps(const struct providers *providers)
{
    return providers->current != &providers->lost;
}

/* Back to the start of a stream; the memory of provider 0's tables is kept. */
void providers_reset(struct providers *providers);

void providers_free(struct providers *providers);

#endif
