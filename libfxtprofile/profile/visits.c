/* SPDX-License-Identifier: BSD-2-Clause */
/* See visits.h. */
#include "visits.h"

#include "common/base/text.h"

static uint64_t hash_of(const struct visit *v)
{
    return hash_word(hash_word(hash_start() ^ v->epoch, v->process), v->pc);
}

bool visits_find(const struct visits *visits, const struct visit *like, uint32_t *number)
{
    struct table_probe probe = table_probe(&visits->table, hash_of(like));

    while (table_next(&visits->table, &probe, number)) {
        const struct visit *v = &visits->items[*number];

        if (v->pc == like->pc && v->process == like->process && v->epoch == like->epoch)
            return true;
    }
    return false;
}

uint32_t visits_append(struct visits *visits, struct visit visit)
{
    MEMORY_ADD(visits->items, visits->n, visits->capacity, visit);
    return (uint32_t)(visits->n - 1);
}

uint32_t visits_add(struct visits *visits, struct visit visit)
{
    table_add(&visits->table, hash_of(&visit), visits->n);
    return visits_append(visits, visit);
}

void visits_free(struct visits *visits)
{
    memory_release(visits->items);
    table_free(&visits->table);
}
