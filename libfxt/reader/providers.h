/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The providers of one stream, by id, and which of them is current. Each has its own
 * tables and clock rate.
 */
#ifndef LIBFXT_READER_PROVIDERS_H
#define LIBFXT_READER_PROVIDERS_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/record.h>

#include "libfxt/memory.h"
#include "tables.h"

struct provider {
    /* What the user sees. */
    struct fxt_provider shown;
    char name[FXT_PROVIDER_NAME_SIZE_MAX];
    struct tables tables;
};

struct provider_node {
    union {
        struct provider_node *node;
        struct provider *provider;
    } below[256];
};

struct providers {
    struct memory *memory;
    uint64_t default_ticks_per_second;
    struct provider *current;
    /* Provider 0, to which all records before any provider record belong. */
    struct provider zero;
    /* Stands in for a provider that could not be kept: its tables stay empty, so that no
     * reference of one provider resolves in the tables of another. */
    struct provider lost;
    /* Why it could not be kept. */
    enum fxt_code lost_because;
    /* The others, in a tree of four levels, one for each byte of the id, the highest
     * first. A lookup takes four steps, whatever ids a hostile input uses. */
    struct provider_node *root;
};

void providers_init(struct providers *providers, struct memory *memory,
                    uint64_t default_ticks_per_second);

/* Whether a record introduced the provider of this id; 0 needs none. */
bool providers_knows(const struct providers *providers, uint32_t id);

/* Makes the provider of this id current, and creates it if necessary. Returns false if
 * there is no memory for it; a placeholder that keeps nothing is then current. */
bool providers_select(struct providers *providers, uint32_t id);

void providers_set_name(struct provider *provider, struct fxt_string name);

/* Whether what the current provider registers can be kept at all. */
static inline bool providers_keeps(const struct providers *providers)
{
    return providers->current != &providers->lost;
}

/* Back to the start of a stream. No memory is kept: what one stream registers must not
 * leave less of the limit to the next. */
void providers_reset(struct providers *providers);

void providers_free(struct providers *providers);

#endif
