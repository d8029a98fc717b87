/* SPDX-License-Identifier: BSD-2-Clause */
/* See pc_set.h. */
#include "pc_set.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

/* Where the number of a PC that was met lately is kept, of 1 << MET_BITS places; and how
 * many PCs get their numbers at a time. */
enum { MET_BITS = 16, FEW = 64 };

static uint64_t load(const unsigned char *pcs, uint32_t i)
{
    uint64_t pc;

    memcpy(&pc, pcs + i * sizeof(pc), sizeof(pc));
    return pc;
}

static uint64_t hash_pc(const struct pc_set *set, uint64_t pc)
{
    return hash_word(set->key, pc);
}

/* An input may be made so that all its PCs have one place, and nothing is gained. */
static uint32_t *met_at(const struct pc_set *set, uint64_t pc)
{
    return &set->met[pc * 0x9e3779b97f4a7c15 >> (64 - MET_BITS)];
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
static void number_few(struct pc_set *set, const unsigned char *pcs, uint32_t *numbers,
                       uint32_t n)
{
    uint32_t missed[FEW];
    uint32_t n_missed = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t pc = load(pcs, i);
        uint32_t met = *met_at(set, pc);

        numbers[i] = met;
        missed[n_missed] = i;
        n_missed += set->pcs[met] != pc;
    }
    for (uint32_t i = 0; i < n_missed; i++)
        table_prefetch(&set->table, hash_pc(set, load(pcs, missed[i])));
    for (uint32_t i = 0; i < n_missed; i++) {
        uint64_t pc = load(pcs, missed[i]);

        numbers[missed[i]] = find(set, hash_pc(set, pc), pc);
        *met_at(set, pc) = numbers[missed[i]];
    }
}

void pc_set_number(struct pc_set *set, const void *pcs, uint32_t *numbers, uint32_t n)
{
    const unsigned char *from = (const unsigned char *)pcs;

    if (set->met == NULL) {
        set->met =
            (uint32_t *)must_allocate(((size_t)1 << MET_BITS) * sizeof(*set->met));
        /* Number 0 stands where there is none yet; now it is one. */
        find(set, hash_pc(set, load(from, 0)), load(from, 0));
    }
    for (; n > FEW; n -= FEW) {
        number_few(set, from, numbers, FEW);
        from += FEW * sizeof(*set->pcs);
        numbers += FEW;
    }
    number_few(set, from, numbers, n);
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
