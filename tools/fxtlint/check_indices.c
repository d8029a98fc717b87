/* SPDX-License-Identifier: BSD-2-Clause */
/* See check_indices.h. */
#include "check_indices.h"

#include <fxt/format.h>

#include "common/base/memory.h"
#include "common/base/table.h"
#include "tools/common/references.h"

/* The memory for tables is bounded, whatever an archive announces. */
enum { PROVIDERS_MAX = 256, N_STRINGS = 32768, N_THREADS = 256 };

/* Hashes of an index's first and newest value; 0 for none. */
struct registered {
    uint32_t first;
    uint32_t newest;
};

struct provider_indices {
    uint32_t id;
    /* Allocated when they are needed. */
    struct registered *strings;
    struct registered *threads;
};

static struct provider_indices *find_provider(struct check_indices *c, uint32_t id)
{
    if (c->n_providers > 0 && c->providers[c->current].id == id)
        return &c->providers[c->current];
    for (size_t i = 0; i < c->n_providers; i++) {
        if (c->providers[i].id == id) {
            c->current = i;
            return &c->providers[i];
        }
    }
    if (c->n_providers == PROVIDERS_MAX)
        return NULL;
    c->current = c->n_providers;
    MEMORY_ADD(c->providers, c->n_providers, c->capacity,
               (struct provider_indices){.id = id});
    return &c->providers[c->current];
}

static struct registered *table_of(struct registered **table, size_t n)
{
    if (*table == NULL)
        *table = memory_allocate(n * sizeof(**table));
    return *table;
}

/* ---- Registrations ----------------------------------------------------------------- */

static uint32_t nonzero(uint64_t hash)
{
    return table_hash(hash) | 1;
}

static void put(struct registered *entry, uint32_t hash)
{
    if (entry->first == 0)
        entry->first = hash;
    entry->newest = hash;
}

static void put_together(struct check_indices *c, struct registered *entry, uint32_t hash)
{
    put(entry, hash);
    c->has_changed = c->has_changed || entry->first != hash;
}

static void register_string(struct check_indices *c, struct provider_indices *p,
                            const struct fxt_string_registration *string)
{
    uint32_t hash = nonzero(hash_bytes(string->value.data, string->value.size));

    if (string->index == 0 || string->index >= N_STRINGS)
        return;
    put(&table_of(&p->strings, N_STRINGS)[string->index], hash);
    put_together(c, &table_of(&c->together->strings, N_STRINGS)[string->index], hash);
}

static void register_thread(struct check_indices *c, struct provider_indices *p,
                            const struct fxt_thread_registration *thread)
{
    uint32_t hash =
        nonzero(hash_word(hash_word(hash_start(), thread->process), thread->thread));

    if (thread->index == 0 || thread->index >= N_THREADS)
        return;
    put(&table_of(&p->threads, N_THREADS)[thread->index], hash);
    put_together(c, &table_of(&c->together->threads, N_THREADS)[thread->index], hash);
}

/* ---- References -------------------------------------------------------------------- */

struct use {
    bool redefined;
    bool shared;
};

static void use_index(struct use *use, const struct registered *own,
                      const struct registered *together, size_t index)
{
    if (own == NULL || own[index].newest == 0)
        return;
    use->redefined = use->redefined || own[index].first != own[index].newest;
    use->shared = use->shared || own[index].newest != together[index].newest;
}

static struct use use_all(const struct check_indices *c, const struct provider_indices *p,
                          const struct fxt_record *record)
{
    struct reference references[REFERENCES_MAX];
    struct use use = {false, false};
    size_t n = references_find(references, record, NULL);

    for (size_t i = 0; i < n; i++) {
        if (references[i].is_thread)
            use_index(&use, p->threads, c->together->threads, references[i].index);
        else
            use_index(&use, p->strings, c->together->strings, references[i].index);
    }
    return use;
}

void check_indices(struct check_indices *c, const struct fxt_record *record)
{
    struct provider_indices *p = find_provider(c, record->provider->id);
    struct use use = {false, false};

    if (p == NULL) {
        finding_add(c->findings, RULE_LIMIT, record->offset);
        return;
    }
    if (c->together == NULL)
        c->together = memory_allocate(sizeof(*c->together));
    if (record->type == FXT_RECORD_STRING)
        register_string(c, p, &record->string);
    else if (record->type == FXT_RECORD_THREAD)
        register_thread(c, p, &record->thread);
    /* Until then, all tables agree. */
    if (c->has_changed)
        use = use_all(c, p, record);
    if (use.redefined)
        finding_add(c->findings, RULE_INDEX_REDEFINED, record->offset);
    if (use.shared)
        finding_add(c->findings, RULE_INDEX_SHARED, record->offset);
}

static void free_tables(struct provider_indices *p)
{
    memory_release(p->strings);
    memory_release(p->threads);
}

void check_indices_free(struct check_indices *c)
{
    for (size_t i = 0; i < c->n_providers; i++)
        free_tables(&c->providers[i]);
    memory_release(c->providers);
    if (c->together != NULL)
        free_tables(c->together);
    memory_release(c->together);
}
