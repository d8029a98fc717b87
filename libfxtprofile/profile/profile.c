/* SPDX-License-Identifier: BSD-2-Clause */
/* See profile.h. */
#include "profile.h"

#include <assert.h>
#include <string.h>

uint64_t profile_pc(const struct profile *p, const struct profile_stack *stack,
                    uint32_t i)
{
    assert(p->stack_pcs != NULL && i < stack->n);
    return p->pcs[p->stack_pcs[stack - p->stacks][i]];
}

bool profile_find_type(const struct profile *p, const char *name, uint32_t *type)
{
    for (uint32_t i = 0; i < p->n_types; i++) {
        if (strcmp(p->types[i].type, name) == 0) {
            *type = i;
            return true;
        }
    }
    return false;
}

bool profile_find_time(const struct profile *p, uint32_t *type)
{
    for (uint32_t i = 0; i < p->n_types; i++) {
        if (strcmp(p->types[i].unit, "nanoseconds") == 0) {
            *type = i;
            return true;
        }
    }
    return false;
}

bool profile_has_values(const struct profile *p, size_t sample)
{
    assert(sample < p->n_samples);
    for (uint32_t i = 0; i < p->n_types; i++) {
        if (p->values[sample * p->n_types + i] != 0)
            return true;
    }
    return false;
}

struct string profile_line_name(const struct profile *p, uint32_t line)
{
    assert(line < p->n_lines);
    return string_table_get(&p->names, p->functions[p->lines[line].function].name);
}
