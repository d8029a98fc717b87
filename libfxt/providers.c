/* SPDX-License-Identifier: BSD-2-Clause */
/* See providers.h. */
#include "providers.h"

#include <string.h>

static void start_provider(struct provider *provider, uint32_t id,
                           uint64_t ticks_per_second)
{
    provider->shown = (struct fxt_provider){
        .id = id,
        .name = {"", 0, 0},
        .ticks_per_second = ticks_per_second,
    };
}

void providers_init(struct providers *providers, struct memory *memory,
                    uint64_t default_ticks_per_second)
{
    *providers = (struct providers){
        .memory = memory,
        .default_ticks_per_second = default_ticks_per_second,
    };
    providers->current = &providers->zero;
    start_provider(&providers->zero, 0, default_ticks_per_second);
}

/* The slot that has this id or, if none has, the free one where it belongs. There must be
 * slots. */
static struct provider **slot_for(const struct providers *providers, uint32_t id)
{
    /* Ids are often small and dense: multiply by 2^32 / golden ratio to spread them. */
    uint32_t i = id * (uint32_t)2654435769;

    for (;; i++) {
        struct provider **slot = &providers->slots[i & (providers->n_slots - 1)];

        if (*slot == NULL || (*slot)->shown.id == id)
            return slot;
    }
}

static bool grow(struct providers *providers)
{
    struct provider **old = providers->slots;
    uint32_t n_old = providers->n_slots;
    uint32_t n_new = n_old == 0 ? 16 : n_old * 2;
    struct provider **new =
        (struct provider **)memory_zeroed(providers->memory, n_new * sizeof(*new));

    if (new == NULL)
        return false;
    providers->slots = new;
    providers->n_slots = n_new;
    for (uint32_t i = 0; i < n_old; i++) {
        if (old[i] != NULL)
            *slot_for(providers, old[i]->shown.id) = old[i];
    }
    memory_free(providers->memory, old, n_old * sizeof(*old));
    return true;
}

static struct provider *add(struct providers *providers, uint32_t id)
{
    struct provider *new;

    if (providers->n_used >= providers->n_slots / 4 * 3 && !grow(providers))
        return NULL;
    new = (struct provider *)memory_zeroed(providers->memory, sizeof(*new));
    if (new == NULL)
        return NULL;
    start_provider(new, id, providers->default_ticks_per_second);
    *slot_for(providers, id) = new;
    providers->n_used++;
    return new;
}

struct provider *providers_find(struct providers *providers, uint32_t id)
{
    if (id == 0)
        return &providers->zero;
    if (providers->n_slots == 0)
        return NULL;
    return *slot_for(providers, id);
}

bool providers_select(struct providers *providers, uint32_t id)
{
    struct provider *provider = providers_find(providers, id);

    if (provider == NULL)
        provider = add(providers, id);
    if (provider == NULL) {
        start_provider(&providers->lost, id, providers->default_ticks_per_second);
        providers->current = &providers->lost;
        return false;
    }
    providers->current = provider;
    return true;
}

void providers_set_name(struct provider *provider, struct fxt_string name)
{
    memcpy(provider->name, name.data, name.size);
    provider->shown.name = (struct fxt_string){provider->name, name.size, 0};
}

static void free_slots(struct providers *providers)
{
    for (uint32_t i = 0; i < providers->n_slots; i++) {
        if (providers->slots[i] != NULL) {
            tables_free(&providers->slots[i]->tables, providers->memory);
            memory_free(providers->memory, providers->slots[i],
                        sizeof(*providers->slots[i]));
        }
    }
    memory_free(providers->memory, providers->slots,
                providers->n_slots * sizeof(*providers->slots));
    providers->slots = NULL;
    providers->n_slots = 0;
    providers->n_used = 0;
}

void providers_reset(struct providers *providers)
{
    free_slots(providers);
    tables_clear(&providers->zero.tables);
    start_provider(&providers->zero, 0, providers->default_ticks_per_second);
    providers->current = &providers->zero;
}

void providers_free(struct providers *providers)
{
    free_slots(providers);
    tables_free(&providers->zero.tables, providers->memory);
}
