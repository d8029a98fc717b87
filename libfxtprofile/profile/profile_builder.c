/* SPDX-License-Identifier: BSD-2-Clause */
/* See profile_builder.h: all but adding samples and sorting them. */
#include "profile_builder.h"

#include <assert.h>
#include <string.h>

#include "common/base/memory.h"

void profile_builder_init(struct profile_builder *b)
{
    *b = (struct profile_builder){.main_mapping = PROFILE_NO_MAPPING};
    b->key = fingerprint_key();
    b->pcs.key = b->key->words[0];
}

void profile_builder_add_type(struct profile_builder *b, const char *type,
                              const char *unit)
{
    struct profile *p = &b->profile;

    assert(p->n_types < PROFILE_TYPES_MAX);
    p->types[p->n_types++] = (struct profile_type){type, unit};
}

void profile_builder_add_comment(struct profile_builder *b, const char *sentence)
{
    profile_builder_add_loss(b, PROFILE_LOSS_OTHER, sentence);
}

void profile_builder_add_loss(struct profile_builder *b, enum profile_loss_kind kind,
                              const char *sentence)
{
    struct profile *p = &b->profile;

    MEMORY_ADD(p->comments, p->n_comments, b->comment_capacity,
               (struct profile_comment){memory_copy_string(sentence), kind});
}

/* ---- After the last sample --------------------------------------------------------- */

void profile_builder_forget_names(struct profile_builder *b)
{
    struct profile *p = &b->profile;

    for (size_t i = 0; i < p->n_labels; i++) {
        b->may_have_equals |= p->labels[i].process_name > 0;
        b->may_have_equals |= p->labels[i].thread_name > 0;
        p->labels[i].process_name = 0;
        p->labels[i].thread_name = 0;
    }
}

void profile_builder_set_period(struct profile_builder *b, uint64_t period_ns)
{
    struct profile *p = &b->profile;
    int64_t *values = (int64_t *)memory_allocate(p->n_samples * 2 * sizeof(*values));
    int64_t period = (int64_t)period_ns;

    assert(p->n_types == 1 && period > 0);
    for (size_t i = 0; i < p->n_samples; i++) {
        values[2 * i] = p->values[i];
        values[2 * i + 1] =
            p->values[i] > INT64_MAX / period ? INT64_MAX : p->values[i] * period;
    }
    memory_release(p->values);
    p->values = values;
    b->value_capacity = p->n_samples;
    profile_builder_add_type(b, "cpu", "nanoseconds");
    p->default_type = 1;
    p->period_type = (struct profile_type){"cpu", "nanoseconds"};
    p->period = period_ns;
}

void profile_builder_move_sample(struct profile_builder *b, size_t from, size_t to)
{
    struct profile *p = &b->profile;

    assert(to <= from && from < p->n_samples);
    moments_note(&b->moments, p->n_samples, from, to);
    if (from == to)
        return;
    p->samples[to] = p->samples[from];
    memcpy(p->values + to * p->n_types, p->values + from * p->n_types,
           p->n_types * sizeof(*p->values));
}

void profile_builder_keep_first(struct profile_builder *b, size_t n)
{
    moments_renumber(&b->moments);
    b->profile.n_samples = n;
}

bool profile_builder_drop_empty(struct profile_builder *b)
{
    struct profile *p = &b->profile;
    size_t n = p->n_samples;
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (profile_has_values(p, i))
            profile_builder_move_sample(b, i, kept++);
    }
    profile_builder_keep_first(b, kept);
    return kept < n;
}

/* The frames of a stack that are of the program. */
static uint32_t count_frames(const struct profile_builder *b,
                             const struct profile_stack *stack)
{
    bool has_end =
        b->has_ends && b->profile.locations[stack->frames[stack->n - 1]].is_end;

    return stack->n - has_end;
}

/* How many of the first frames of a stack have a name. */
static uint64_t count_named(const struct profile *p, const struct profile_stack *stack,
                            uint32_t n_frames)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < n_frames; i++)
        n += p->locations[stack->frames[i]].symbolized;
    return n;
}

void profile_builder_count_frames(struct profile_builder *b)
{
    struct profile *p = &b->profile;
    size_t n_named_locations = 0;

    p->n_frames = 0;
    p->n_named_frames = 0;
    for (size_t i = 0; i < p->n_locations; i++)
        n_named_locations += p->locations[i].symbolized;
    for (size_t i = 0; i < p->n_samples; i++) {
        const struct profile_stack *stack = &p->stacks[p->samples[i].stack];
        uint32_t n_frames = count_frames(b, stack);
        uint64_t n = profile_count(p, i);

        p->n_frames += n * n_frames;
        /* Mostly there is no need to go through the frames. */
        if (n_named_locations == p->n_locations)
            p->n_named_frames += n * n_frames;
        else if (n_named_locations > 0)
            p->n_named_frames += n * count_named(p, stack, n_frames);
    }
}

/* ---- The end ----------------------------------------------------------------------- */

void profile_builder_finish(struct profile_builder *b, struct profile *profile)
{
    moments_finish(&b->moments, &b->profile);
    *profile = b->profile;
    b->profile = (struct profile){.n_types = 0};
    if (b->keeps_pcs) {
        profile->pcs = b->pcs.pcs;
        b->pcs.pcs = NULL;
    }
    profile_builder_free(b);
}

void profile_builder_free(struct profile_builder *b)
{
    memory_release(b->profile.samples);
    memory_release(b->profile.values);
    memory_release(b->profile.stacks);
    arena_free(&b->profile.frames);
    memory_release(b->profile.labels);
    pc_set_free(&b->pcs);
    string_table_free(&b->pc_names);
    time_log_free(&b->log);
    moments_free(&b->moments);
    stack_table_free(&b->stack_table);
    table_free(&b->sample_table);
    table_free(&b->label_table);
    table_free(&b->tag_table);
    memory_release(b->end_files);
    b->end_files = NULL;
    memory_release(b->queue.copied_pcs);
    b->queue.copied_pcs = NULL;
}
