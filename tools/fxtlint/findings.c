/* SPDX-License-Identifier: BSD-2-Clause */
/* See findings.h. */
#include "findings.h"

#include "common/base/memory.h"
#include "common/base/sort.h"

struct text *finding_begin(struct findings *f, enum rule rule, uint64_t offset)
{
    struct rule_findings *r = &f->rules[rule];

    if (r->n++ >= f->max_places)
        return NULL;
    MEMORY_ADD(r->places, r->n_places, r->capacity,
               (struct finding_place){offset, f->texts.size, f->texts.size});
    return &f->texts;
}

void finding_end(struct findings *f, enum rule rule)
{
    struct rule_findings *r = &f->rules[rule];

    r->places[r->n_places - 1].end = f->texts.size;
}

void finding_add(struct findings *f, enum rule rule, uint64_t offset)
{
    finding_begin(f, rule, offset);
}

SORT_ORDER(order_places, struct finding_place, BY(offset) || BY(begin));

void findings_sort(struct findings *f)
{
    for (int i = 0; i < N_RULES; i++)
        SORT(f->rules[i].places, f->rules[i].n_places, order_places);
}

void findings_clear(struct findings *f)
{
    for (int i = 0; i < N_RULES; i++) {
        f->rules[i].n = 0;
        f->rules[i].n_places = 0;
    }
    f->texts.size = 0;
    f->is_part = false;
}
