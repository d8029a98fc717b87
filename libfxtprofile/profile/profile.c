/* SPDX-License-Identifier: BSD-2-Clause */
/* See profile.h. */
#include "profile.h"

#include <assert.h>
#include <string.h>

#include "common/base/memory.h"

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

void profile_events_free(struct profile_events *e)
{
    memory_release(e->events);
    memory_release(e->nesting);
    memory_release(e->args);
    memory_release(e->threads);
    memory_release(e->scheduling.runs);
    memory_release(e->scheduling.waits);
    string_table_free(&e->strings);
    *e = (struct profile_events){.n = 0};
}

void profile_free(struct profile *p)
{
    for (size_t i = 0; i < p->n_comments; i++)
        memory_release(p->comments[i].sentence);
    memory_release(p->comments);
    memory_release(p->samples);
    memory_release(p->values);
    memory_release(p->stacks);
    arena_free(&p->frames);
    memory_release(p->labels);
    memory_release(p->tags);
    memory_release(p->heap_points);
    memory_release(p->moments);
    profile_events_free(&p->events);
    event_summary_free(&p->summary);
    koid_names_free(&p->koid_names);
    memory_release(p->pcs);
    memory_release(p->stack_pcs);
    arena_free(&p->kept);
    memory_release(p->locations);
    memory_release(p->lines);
    memory_release(p->functions);
    memory_release(p->mappings);
    memory_release(p->cuts);
    string_table_free(&p->names);
    string_table_free(&p->files);
    string_table_free(&p->build_ids);
    for (size_t i = 0; i < PROFILE_EVENTS_MAX; i++)
        memory_release(p->event_names[i]);
    *p = (struct profile){.n_types = 0};
}
