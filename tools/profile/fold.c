/* SPDX-License-Identifier: BSD-2-Clause */
/* See fold.h. */
#include "fold.h"

#include <stdlib.h>
#include <string.h>

#include "quote.h"

static uint32_t add_name(struct fold *f, struct string name)
{
    f->quoted.size = 0;
    quote_frame(&f->quoted, name.data, name.size);
    return strings_add(&f->names, f->quoted.data, f->quoted.size);
}

static void add_frame(struct fold *f, uint32_t frame)
{
    f->frames = (uint32_t *)must_grow(f->frames, f->n_frames, &f->frame_capacity,
                                      sizeof(*f->frames));
    f->frames[f->n_frames++] = frame;
}

static void add_root(struct fold *f, enum folded_root root,
                     const struct profile_labels *labels)
{
    const struct who *who = &f->profile->who;

    f->text.size = 0;
    switch (root) {
    case FOLDED_PROCESS:
        who_describe(who, labels->process, "process", &f->text);
        break;
    case FOLDED_THREAD:
        who_describe(who, labels->thread, "thread", &f->text);
        break;
    case FOLDED_CPU:
    case FOLDED_ROOTS:
        if (labels->cpu == PROFILE_NO_CPU)
            text_str(&f->text, "cpu?");
        else
            text_printf(&f->text, "cpu%u", labels->cpu);
        break;
    }
    add_frame(f, add_name(f, (struct string){f->text.data, f->text.size}));
}

/* The stack of these last `n` frames, which are taken back if it exists. */
static struct fold_stack *find_stack(struct fold *f, uint32_t n)
{
    size_t first = f->n_frames - n;
    uint64_t hash = hash_bytes(f->frames + first, n * sizeof(*f->frames));
    struct table_probe probe = table_probe(&f->table, hash);
    uint32_t number;

    while (table_next(&f->table, &probe, &number)) {
        struct fold_stack *stack = &f->stacks[number];

        if (stack->n == n && memcmp(f->frames + stack->first, f->frames + first,
                                    n * sizeof(*f->frames)) == 0) {
            f->n_frames = first;
            return stack;
        }
    }
    table_add(&f->table, hash, f->n_stacks);
    f->stacks = (struct fold_stack *)must_grow(f->stacks, f->n_stacks, &f->stack_capacity,
                                               sizeof(*f->stacks));
    f->stacks[f->n_stacks] = (struct fold_stack){f, first, n, 0};
    return &f->stacks[f->n_stacks++];
}

static void fold_sample(struct fold *f, const struct output_settings *settings, size_t i)
{
    const struct profile *p = f->profile;
    const struct profile_stack *stack = &p->stacks[p->samples[i].stack];
    const uint32_t *frames = p->frames + stack->first;
    size_t start = f->n_frames;

    for (size_t r = 0; r < settings->n_roots; r++)
        add_root(f, settings->roots[r], &p->labels[p->samples[i].labels]);
    for (uint32_t j = stack->n; j > 0; j--)
        add_frame(f, f->function_names[p->locations[frames[j - 1]].function]);
    find_stack(f, (uint32_t)(f->n_frames - start))->count +=
        (uint64_t)p->values[i * p->n_types];
}

void fold_profile(struct fold *f, const struct profile *p,
                  const struct output_settings *settings)
{
    *f = (struct fold){.profile = p};
    f->function_names =
        (uint32_t *)must_allocate(p->functions.n * sizeof(*f->function_names));
    for (uint32_t i = 0; i < p->functions.n; i++)
        f->function_names[i] = add_name(f, strings_get(&p->functions, i));
    for (size_t i = 0; i < p->n_samples; i++)
        fold_sample(f, settings, i);
}

void fold_free(struct fold *f)
{
    free(f->function_names);
    free(f->frames);
    free(f->stacks);
    table_free(&f->table);
    strings_free(&f->names);
    text_free(&f->text);
    text_free(&f->quoted);
}
