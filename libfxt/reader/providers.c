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

enum { ID_TOP_SHIFT = 24, ID_BITS = 8, ID_MASK = 255 };

/* The provider of this id, or NULL. */
static struct provider *find_provider(const struct providers *providers, uint32_t id)
{
    const struct provider_node *node = providers->root;

    for (int shift = ID_TOP_SHIFT; shift > 0 && node != NULL; shift -= ID_BITS)
        node = node->below[id >> shift & ID_MASK].node;
    return node != NULL ? node->below[id & ID_MASK].provider : NULL;
}

/* The place in the tree for this id, or NULL if there is no memory for the path to it. */
static struct provider **place_for(struct providers *providers, uint32_t id)
{
    struct provider_node **node = &providers->root;

    for (int shift = ID_TOP_SHIFT;; shift -= ID_BITS) {
        if (*node == NULL)
            *node =
                (struct provider_node *)memory_zeroed(providers->memory, sizeof(**node));
        if (*node == NULL)
            return NULL;
        if (shift == 0)
            return &(*node)->below[id & ID_MASK].provider;
        node = &(*node)->below[id >> shift & ID_MASK].node;
    }
}

static struct provider *add_provider(struct providers *providers, uint32_t id)
{
    struct provider **place = place_for(providers, id);

    if (place == NULL)
        return NULL;
    *place = (struct provider *)memory_zeroed(providers->memory, sizeof(**place));
    if (*place != NULL)
        start_provider(*place, id, providers->default_ticks_per_second);
    return *place;
}

bool providers_knows(const struct providers *providers, uint32_t id)
{
    return id == 0 || find_provider(providers, id) != NULL;
}

bool providers_select(struct providers *providers, uint32_t id)
{
    struct provider *provider = id == 0 ? &providers->zero : find_provider(providers, id);

    if (provider == NULL)
        provider = add_provider(providers, id);
    if (provider == NULL) {
        start_provider(&providers->lost, id, providers->default_ticks_per_second);
        providers->current = &providers->lost;
        providers->lost_because = providers->memory->refusal;
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

static void free_provider(struct provider *provider, struct memory *memory)
{
    tables_free(&provider->tables, memory);
    memory_free(memory, provider, sizeof(*provider));
}

/* Frees a node, whose place in its id is `shift`, and all below it: four deep. */
static void free_node(struct provider_node *node, int shift, struct memory *memory)
{
    for (int i = 0; i <= ID_MASK; i++) {
        if (shift > 0 && node->below[i].node != NULL)
            free_node(node->below[i].node, shift - ID_BITS, memory);
        else if (shift == 0 && node->below[i].provider != NULL)
            free_provider(node->below[i].provider, memory);
    }
    memory_free(memory, node, sizeof(*node));
}

static void free_tree(struct providers *providers)
{
    if (providers->root != NULL)
        free_node(providers->root, ID_TOP_SHIFT, providers->memory);
    providers->root = NULL;
}

void providers_reset(struct providers *providers)
{
    providers_free(providers);
    start_provider(&providers->zero, 0, providers->default_ticks_per_second);
    providers->current = &providers->zero;
}

void providers_free(struct providers *providers)
{
    free_tree(providers);
    tables_free(&providers->zero.tables, providers->memory);
}
