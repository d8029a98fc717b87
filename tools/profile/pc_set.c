/* SPDX-License-Identifier: BSD-2-Clause */
/* See pc_set.h. */
#include "pc_set.h"

#include <stdlib.h>

#include "text.h"

/* A PC that was met lately, and its number and one; 0 for none. */
struct pc_met {
    uint64_t pc;
    uint32_t entry;
};

/* How many are remembered, a power of two; and how many PCs get their numbers at a time.
 */
enum { MET_MAX = 1 << 14, FEW = 64 };

static uint64_t hash_pc(const struct pc_set *set, uint64_t pc)
{
    return hash_word(set->key, pc);
}

static struct pc_met *met_at(const struct pc_set *set, uint64_t hash)
{
    return &set->met[table_hash(hash) % MET_MAX];
}

static uint32_t find(struct pc_set *set, uint64_t hash, uint64_t pc)
{
    struct table_probe probe = table_probe(&set->table, hash);
    uint32_t number;

    while (table_next(&set->table, &probe, &number)) {
        if (set->pcs[number] == pc)
            return number;
    }
    table_add(&set->table, hash, set->n);
    set->pcs = (uint64_t *)must_grow(set->pcs, set->n, &set->capacity, sizeof(*set->pcs));
    set->pcs[set->n] = pc;
    return (uint32_t)set->n++;
}

/* Takes those first that were met lately: most were, and need not go through a table that
 * no cache has room for. There are no branches for which ones, since nobody could
 * foretell them, and the others are fetched all at once. */
static void number_few(struct pc_set *set, const uint64_t *pcs, uint32_t *numbers,
                       uint32_t n)
{
    uint32_t missed[FEW];
    uint32_t n_missed = 0;

    for (uint32_t i = 0; i < n; i++) {
        struct pc_met met = *met_at(set, hash_pc(set, pcs[i]));

        numbers[i] = met.entry - 1;
        missed[n_missed] = i;
        n_missed += (met.pc != pcs[i]) | (met.entry == 0);
    }
    for (uint32_t i = 0; i < n_missed; i++)
        table_prefetch(&set->table, hash_pc(set, pcs[missed[i]]));
    for (uint32_t i = 0; i < n_missed; i++) {
        uint64_t pc = pcs[missed[i]];
        uint64_t hash = hash_pc(set, pc);

        numbers[missed[i]] = find(set, hash, pc);
        *met_at(set, hash) = (struct pc_met){pc, numbers[missed[i]] + 1};
    }
}

void pc_set_number(struct pc_set *set, const uint64_t *pcs, uint32_t *numbers, uint32_t n)
{
    uint32_t done = 0;

    if (set->met == NULL)
        set->met = (struct pc_met *)must_allocate(MET_MAX * sizeof(*set->met));
    for (; n - done > FEW; done += FEW)
        number_few(set, pcs + done, numbers + done, FEW);
    number_few(set, pcs + done, numbers + done, n - done);
}

void pc_set_forget(struct pc_set *set)
{
    table_free(&set->table);
    free(set->met);
    set->met = NULL;
}

void pc_set_free(struct pc_set *set)
{
    pc_set_forget(set);
    free(set->pcs);
    set->pcs = NULL;
}
