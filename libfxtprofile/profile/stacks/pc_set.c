/* SPDX-License-Identifier: BSD-2-Clause */
/* See pc_set.h. */
#include "pc_set.h"

#include <assert.h>
#include <string.h>

#include "common/base/sort.h"
#include "common/base/text.h"

/* Where the number of a caller that was met lately is kept, of 1 << MET_BITS places; and
 * how many callers get their numbers at a time. */
enum { MET_BITS = 17, FEW = 64 };

static uint64_t load_pc(const unsigned char *pcs, uint32_t i)
{
    uint64_t pc;

    memcpy(&pc, pcs + i * sizeof(pc), sizeof(pc));
    return pc;
}

static uint64_t hash_pc(const struct pc_set *set, uint64_t pc, bool is_leaf)
{
    return hash_word(set->key + is_leaf, pc);
}

/* In a malicious input all PCs may share one slot; that costs time only. */
static uint64_t met_index(uint64_t pc)
{
    return pc * 0x9e3779b97f4a7c15 >> (64 - MET_BITS);
}

static uint32_t find_or_add(struct pc_set *set, uint64_t hash, uint64_t pc, bool is_leaf)
{
    struct table_probe probe = table_probe(&set->table, hash);
    uint32_t number;

    while (table_next(&set->table, &probe, &number)) {
        if (set->pcs[number] == pc && set->is_leaf[number] == is_leaf)
            return number;
    }
    table_add(&set->table, hash, set->n);
    set->pcs =
        (uint64_t *)memory_grow(set->pcs, set->n, &set->capacity, sizeof(*set->pcs));
    set->is_leaf = (bool *)memory_grow(set->is_leaf, set->n, &set->leaf_capacity,
                                       sizeof(*set->is_leaf));
    set->pcs[set->n] = pc;
    set->is_leaf[set->n] = is_leaf;
    return (uint32_t)set->n++;
}

/* First finds the PCs that were met recently: these are most, and do not need the table,
 * which does not fit a cache. Which ones they are is unpredictable, so there is no branch
 * for it; for the others, the table is prefetched. */
static void number_few(struct pc_set *set, const unsigned char *pcs, uint32_t *numbers,
                       uint32_t n)
{
    uint32_t missed[FEW];
    uint32_t n_missed = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t pc = load_pc(pcs, i);
        uint32_t met = set->met[met_index(pc)];

        numbers[i] = met;
        missed[n_missed] = i;
        n_missed += set->pcs[met] != pc;
    }
    for (uint32_t i = 0; i < n_missed; i++)
        table_prefetch(&set->table, hash_pc(set, load_pc(pcs, missed[i]), false));
    for (uint32_t i = 0; i < n_missed; i++) {
        uint64_t pc = load_pc(pcs, missed[i]);

        numbers[missed[i]] = find_or_add(set, hash_pc(set, pc, false), pc, false);
        set->met[met_index(pc)] = numbers[missed[i]];
    }
}

/* Entries that were not used yet have the number of any caller. */
static void make_met(struct pc_set *set, uint64_t pc)
{
    size_t n = (size_t)1 << MET_BITS;
    uint32_t number = find_or_add(set, hash_pc(set, pc, false), pc, false);

    set->met = (uint32_t *)memory_allocate(n * sizeof(*set->met));
    for (size_t i = 0; i < n && number > 0; i++)
        set->met[i] = number;
}

static void number_callers(struct pc_set *set, const unsigned char *pcs,
                           uint32_t *numbers, uint32_t n)
{
    if (set->met == NULL)
        make_met(set, load_pc(pcs, 0));
    for (; n > FEW; n -= FEW) {
        number_few(set, pcs, numbers, FEW);
        pcs += FEW * sizeof(*set->pcs);
        numbers += FEW;
    }
    number_few(set, pcs, numbers, n);
}

/* How many PCs of a run are not callers. */
static uint32_t count_leaves(const struct pc_set *set, const struct pc_run *run)
{
    bool has_name = set->has_names && run->n > 1 &&
                    load_pc(run->pcs, 0) - set->first_name <= UINT32_MAX;

    return has_name ? 2 : 1;
}

/* Leaves rarely repeat, so a cache of recent ones would not help. */
static void number_leaves(struct pc_set *set, const struct pc_run *runs, uint32_t n_runs)
{
    for (uint32_t i = 0; i < n_runs; i++)
        table_prefetch(&set->table, hash_pc(set, load_pc(runs[i].pcs, 0), true));
    for (uint32_t i = 0; i < n_runs; i++) {
        assert(runs[i].n > 0);
        for (uint32_t j = 0; j < count_leaves(set, &runs[i]); j++) {
            uint64_t pc = load_pc(runs[i].pcs, j);

            runs[i].numbers[j] = find_or_add(set, hash_pc(set, pc, true), pc, true);
        }
    }
}

void pc_set_number(struct pc_set *set, const struct pc_run *runs, uint32_t n_runs)
{
    number_leaves(set, runs, n_runs);
    for (uint32_t i = 0; i < n_runs; i++) {
        uint32_t n = count_leaves(set, &runs[i]);

        if (runs[i].n > n)
            number_callers(set, runs[i].pcs + n * sizeof(*set->pcs), runs[i].numbers + n,
                           runs[i].n - n);
    }
}

uint32_t *pc_set_merge(struct pc_set *set, const struct pc_set *from)
{
    uint32_t *numbers = (uint32_t *)memory_reserve(from->n * sizeof(*numbers));

    for (size_t i = 0; i < from->n; i++) {
        uint64_t pc = from->pcs[i];
        bool is_leaf = from->is_leaf[i];

        numbers[i] = find_or_add(set, hash_pc(set, pc, is_leaf), pc, is_leaf);
    }
    return numbers;
}

/* PCs that are both follow as callers and then as leaves. */
static bool next_kind(const void *context, struct sort_row *rows, size_t n_rows,
                      uint64_t n)
{
    const struct pc_set *set = (const struct pc_set *)context;

    for (size_t i = 0; i < n_rows; i++)
        rows[i].key = n == 0 && set->is_leaf[rows[i].item];
    return n == 0;
}

uint32_t *pc_set_sort(const struct pc_set *set)
{
    struct sort_row *rows = (struct sort_row *)memory_reserve(set->n * sizeof(*rows));
    uint32_t *numbers = (uint32_t *)memory_allocate(set->n * sizeof(*numbers));

    for (uint32_t i = 0; i < set->n; i++)
        rows[i] = (struct sort_row){set->pcs[i], 0, i};
    sort_rows(1, rows, set->n, next_kind, set);
    for (size_t i = 0; i < set->n; i++)
        numbers[i] = rows[i].item;
    memory_release(rows);
    return numbers;
}

void pc_set_forget(struct pc_set *set)
{
    table_free(&set->table);
    memory_release(set->met);
    set->met = NULL;
}

void pc_set_free(struct pc_set *set)
{
    pc_set_forget(set);
    memory_release(set->pcs);
    memory_release(set->is_leaf);
    set->pcs = NULL;
    set->is_leaf = NULL;
}
