/* SPDX-License-Identifier: BSD-2-Clause */
/* See profile.h. */
#include "profile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void profile_init(struct profile *p)
{
    *p = (struct profile){.n_types = 0};
    fingerprint_key_make(&p->key);
    p->pcs.key = p->key.words[0];
}

void profile_add_type(struct profile *p, const char *type, const char *unit)
{
    assert(p->n_types < PROFILE_TYPES_MAX);
    p->types[p->n_types++] = (struct profile_type){type, unit};
}

void profile_comment(struct profile *p, const char *sentence)
{
    p->comments = (char **)memory_grow(p->comments, p->n_comments, &p->comment_capacity,
                                       sizeof(*p->comments));
    p->comments[p->n_comments++] = memory_copy_string(sentence);
}

/* ---- Questions --------------------------------------------------------------------- */

uint64_t profile_pc(const struct profile *p, const struct profile_stack *stack,
                    uint32_t i)
{
    const uint32_t *numbers =
        p->kept_pcs != NULL ? p->kept_pcs[stack - p->stacks] : stack->frames;

    assert(i < stack->n);
    return p->pcs.pcs[numbers[i]];
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

int64_t profile_total(const struct profile *p, uint32_t type)
{
    int64_t total = 0;

    assert(type < p->n_types);
    for (size_t i = 0; i < p->n_samples; i++)
        total = profile_add_up(total, p->values[i * p->n_types + type]);
    return total;
}

/* How many frames of a stack have a name. */
static uint64_t count_named(const struct profile *p, const struct profile_stack *stack)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < stack->n; i++)
        n += p->locations[stack->frames[i]].symbolized;
    return n;
}

void profile_count_frames(struct profile *p)
{
    size_t n_named_locations = 0;

    p->n_frames = 0;
    p->n_named_frames = 0;
    for (size_t i = 0; i < p->n_locations; i++)
        n_named_locations += p->locations[i].symbolized;
    for (size_t i = 0; i < p->n_samples; i++) {
        const struct profile_stack *stack = &p->stacks[p->samples[i].stack];
        uint64_t n = profile_count(p, i);

        p->n_frames += n * stack->n;
        /* Mostly there is no need to go through the frames. */
        if (n_named_locations == p->n_locations)
            p->n_named_frames += n * stack->n;
        else if (n_named_locations > 0)
            p->n_named_frames += n * count_named(p, stack);
    }
}

/* ---- The end ----------------------------------------------------------------------- */

void profile_move_sample(struct profile *p, size_t from, size_t to)
{
    assert(to <= from && from < p->n_samples);
    if (from == to)
        return;
    p->samples[to] = p->samples[from];
    memcpy(p->values + to * p->n_types, p->values + from * p->n_types,
           p->n_types * sizeof(*p->values));
}

struct string profile_line_name(const struct profile *p, uint32_t line)
{
    assert(line < p->n_lines);
    return string_table_get(&p->names, p->functions[p->lines[line].function].name);
}

void profile_forget(struct profile *p)
{
    table_free(&p->sample_table);
    stack_table_free(&p->stack_table);
    pc_set_forget(&p->pcs);
    table_free(&p->label_table);
}

void profile_free(struct profile *p)
{
    for (size_t i = 0; i < p->n_comments; i++)
        memory_release(p->comments[i]);
    memory_release(p->comments);
    memory_release(p->samples);
    memory_release(p->values);
    memory_release(p->stacks);
    memory_release(p->kept_pcs);
    arena_free(&p->kept);
    arena_free(&p->frames);
    pc_set_free(&p->pcs);
    memory_release(p->copied_pcs);
    memory_release(p->labels);
    memory_release(p->tags);
    table_free(&p->tag_table);
    memory_release(p->locations);
    memory_release(p->lines);
    memory_release(p->functions);
    memory_release(p->mappings);
    koid_names_free(&p->who);
    time_log_free(&p->log);
    string_table_free(&p->pc_names);
    string_table_free(&p->names);
    string_table_free(&p->files);
    string_table_free(&p->build_ids);
    profile_forget(p);
}
