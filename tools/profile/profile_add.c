/* SPDX-License-Identifier: BSD-2-Clause */
/* See profile.h: adding samples, and finding those that are equal. */
#include <stdlib.h>
#include <string.h>

#include <fxt/compiler.h>

#include "profile.h"

/* How many PCs of them wait together, but for the last one's. */
enum { WAITING_PCS_MAX = 4096 };

/* ---- Labels ------------------------------------------------------------------------ */

static bool same_labels(const struct profile_labels *a, const struct profile_labels *b)
{
    return a->thread == b->thread && a->process == b->process && a->cpu == b->cpu &&
           a->tag == b->tag && a->time_ns == b->time_ns;
}

static uint32_t find_labels(struct profile *p, const struct profile_labels *labels)
{
    uint64_t hash =
        hash_word(hash_word(p->key.words[0], labels->process), labels->thread);
    struct table_probe probe;
    uint32_t number;

    hash = hash_word(hash_word(hash, labels->cpu), labels->time_ns);
    if (labels->tag > 0)
        hash = hash_word(hash, labels->tag);
    probe = table_probe(&p->label_table, hash);
    while (table_next(&p->label_table, &probe, &number)) {
        if (same_labels(&p->labels[number], labels))
            return number;
    }
    table_add(&p->label_table, hash, p->n_labels);
    p->labels = (struct profile_labels *)must_grow(
        p->labels, p->n_labels, &p->label_capacity, sizeof(*p->labels));
    p->labels[p->n_labels] = *labels;
    return (uint32_t)p->n_labels++;
}

/* The same, at less cost where the thread had these labels before. */
static uint32_t find_labels_again(struct profile *p, const struct profile_labels *labels)
{
    uint32_t hash = table_hash(hash_word(p->key.words[0], labels->thread));
    uint32_t *last = &p->last_labels[hash % PROFILE_LAST_LABELS];

    if (*last == 0 || !same_labels(&p->labels[*last - 1], labels))
        *last = find_labels(p, labels) + 1;
    return *last - 1;
}

uint32_t profile_add_tag(struct profile *p, struct profile_tag tag)
{
    uint64_t hash = hash_word(hash_word(p->key.words[0], tag.address), tag.bytes);
    struct table_probe probe = table_probe(&p->tag_table, hash);
    uint32_t number;

    if (p->n_tags == 0)
        p->n_tags = 1;
    while (table_next(&p->tag_table, &probe, &number)) {
        if (p->tags[number].address == tag.address && p->tags[number].bytes == tag.bytes)
            return number;
    }
    table_add(&p->tag_table, hash, p->n_tags);
    p->tags = (struct profile_tag *)must_grow(p->tags, p->n_tags, &p->tag_capacity,
                                              sizeof(*p->tags));
    p->tags[p->n_tags] = tag;
    return (uint32_t)p->n_tags++;
}

/* ---- Stacks ------------------------------------------------------------------------ */

static uint32_t add_stack(struct profile *p, const struct waiting *waiting)
{
    const uint64_t *pcs = p->waiting_pcs + waiting->first;

    p->stacks = (struct profile_stack *)must_grow(p->stacks, p->n_stacks,
                                                  &p->stack_capacity, sizeof(*p->stacks));
    p->stacks[p->n_stacks] = (struct profile_stack){
        p->labels[waiting->labels].process, p->n_stack_pcs, waiting->n, waiting->epoch};
    p->stack_pcs =
        (uint32_t *)must_make_room(p->stack_pcs, p->n_stack_pcs, waiting->n,
                                   &p->stack_pc_capacity, sizeof(*p->stack_pcs));
    pc_set_number(&p->pcs, pcs, p->stack_pcs + p->n_stack_pcs, waiting->n);
    p->n_stack_pcs += waiting->n;
    return (uint32_t)p->n_stacks++;
}

/* ---- Samples ----------------------------------------------------------------------- */

static uint32_t add_sample(struct profile *p, uint32_t stack,
                           const struct waiting *waiting)
{
    p->samples = (struct profile_sample *)must_grow(
        p->samples, p->n_samples, &p->sample_capacity, sizeof(*p->samples));
    p->samples[p->n_samples] = (struct profile_sample){stack, waiting->labels};
    p->values = (int64_t *)must_grow(p->values, p->n_samples, &p->value_capacity,
                                     p->n_types * sizeof(*p->values));
    memcpy(p->values + p->n_samples * p->n_types, waiting->values,
           p->n_types * sizeof(*p->values));
    return (uint32_t)p->n_samples++;
}

static uint32_t add_first_sample(struct profile *p, const struct waiting *waiting)
{
    uint32_t stack = add_stack(p, waiting);
    uint32_t sample = add_sample(p, stack, waiting);

    p->found = (struct profile_found *)must_grow(p->found, stack, &p->found_capacity,
                                                 sizeof(*p->found));
    p->found[stack] = (struct profile_found){waiting->print, waiting->labels, sample, 0};
    return sample;
}

static void add_values(struct profile *p, uint32_t sample, const int64_t *values,
                       uint32_t first)
{
    int64_t *sums = p->values + (size_t)sample * p->n_types;

    for (uint32_t i = first; i < p->n_types; i++)
        sums[i] = profile_add_up(sums[i], values[i]);
}

/* Counts a sample whose stack was first seen with other labels. */
static uint32_t count_other(struct profile *p, uint32_t stack,
                            const struct waiting *waiting)
{
    uint64_t hash = hash_word(hash_word(p->key.words[0], stack), waiting->labels);
    struct table_probe probe = table_probe(&p->sample_table, hash);
    uint32_t number;

    while (table_next(&p->sample_table, &probe, &number)) {
        if (p->samples[number].stack == stack &&
            p->samples[number].labels == waiting->labels) {
            add_values(p, number, waiting->values, 0);
            return number;
        }
    }
    table_add(&p->sample_table, hash, p->n_samples);
    return add_sample(p, stack, waiting);
}

static uint32_t count_sample(struct profile *p, const struct waiting *waiting)
{
    uint64_t hash = fingerprint_hash(waiting->print);
    struct table_probe probe = table_probe(&p->stack_table, hash);
    uint32_t stack;

    while (table_next(&p->stack_table, &probe, &stack)) {
        struct profile_found *found = &p->found[stack];

        if (!fingerprint_same(found->print, waiting->print))
            continue;
        if (found->labels != waiting->labels)
            return count_other(p, stack, waiting);
        found->value = profile_add_up(found->value, waiting->values[0]);
        add_values(p, found->sample, waiting->values, 1);
        return found->sample;
    }
    table_add(&p->stack_table, hash, p->n_stacks);
    return add_first_sample(p, waiting);
}

/* ---- Samples that wait ------------------------------------------------------------- */

/* A look-up goes through memory at two places: the table, and what it leads to. Here it
 * is taken as far as it costs nothing but to say that these will be needed, for all that
 * wait, so that the processor fetches for one what it would else wait for. */
static void prefetch_stacks(const struct profile *p)
{
    for (uint32_t i = 0; i < p->n_waiting; i++) {
        struct table_probe probe =
            table_probe(&p->stack_table, fingerprint_hash(p->waiting[i].print));
        uint32_t likely;

        if (table_next(&p->stack_table, &probe, &likely))
            FXT_PREFETCH(&p->found[likely]);
    }
}

static void end_waiting(struct profile *p)
{
    prefetch_stacks(p);
    for (uint32_t i = 0; i < p->n_waiting; i++) {
        const struct waiting *waiting = &p->waiting[i];
        uint32_t sample = count_sample(p, waiting);

        if (waiting->is_logged)
            time_log_add(&p->log, sample, waiting->time_ns);
    }
    p->n_waiting = 0;
    p->n_waiting_pcs = 0;
}

void profile_settle(struct profile *p)
{
    end_waiting(p);
    for (size_t i = 0; p->found != NULL && i < p->n_stacks; i++) {
        struct profile_found *found = &p->found[i];
        int64_t *sum = &p->values[(size_t)found->sample * p->n_types];

        *sum = profile_add_up(*sum, found->value);
        found->value = 0;
    }
}

/* Copies PCs to those that wait, and makes their fingerprint. */
static struct fingerprint keep_pcs(struct profile *p, const struct fxt_words *pcs)
{
    uint64_t *copy;

    p->waiting_pcs =
        (uint64_t *)must_make_room(p->waiting_pcs, p->n_waiting_pcs, pcs->count,
                                   &p->waiting_pc_capacity, sizeof(*p->waiting_pcs));
    copy = p->waiting_pcs + p->n_waiting_pcs;
    p->n_waiting_pcs += pcs->count;
    if (!pcs->swapped)
        return fingerprint_copy(&p->key, copy, pcs->data, pcs->count);
    for (uint64_t i = 0; i < pcs->count; i++)
        copy[i] = fxt_words_get(*pcs, i);
    return fingerprint_copy(&p->key, copy, copy, pcs->count);
}

/* Makes a sample wait, after those that are too many. */
static struct waiting *wait_for(struct profile *p, const struct profile_labels *labels,
                                uint32_t epoch, const struct fxt_words *pcs,
                                const int64_t *values)
{
    struct waiting *waiting;

    if (p->n_waiting == PROFILE_WAITING_MAX || p->n_waiting_pcs >= WAITING_PCS_MAX)
        end_waiting(p);
    waiting = &p->waiting[p->n_waiting++];
    waiting->first = (uint32_t)p->n_waiting_pcs;
    waiting->n = (uint32_t)pcs->count;
    waiting->print = fingerprint_with(&p->key, keep_pcs(p, pcs), labels->process, epoch);
    waiting->epoch = epoch;
    waiting->labels = find_labels_again(p, labels);
    waiting->is_logged = false;
    memcpy(waiting->values, values, p->n_types * sizeof(*values));
    table_prefetch(&p->stack_table, fingerprint_hash(waiting->print));
    return waiting;
}

void profile_add(struct profile *p, const struct profile_labels *labels,
                 const struct fxt_words *pcs, const int64_t *values)
{
    wait_for(p, labels, 0, pcs, values);
}

void profile_add_logged(struct profile *p, const struct profile_labels *labels,
                        const struct fxt_words *pcs, const int64_t *values,
                        uint64_t time_ns)
{
    struct waiting *waiting = wait_for(p, labels, 0, pcs, values);

    waiting->is_logged = true;
    waiting->time_ns = time_ns;
}

void profile_add_to_epoch(struct profile *p, const struct profile_labels *labels,
                          uint32_t epoch, const struct fxt_words *pcs,
                          const int64_t *values)
{
    wait_for(p, labels, epoch, pcs, values);
}

/* ---- Samples of another profile ---------------------------------------------------- */

/* What was added to `from` becomes what was added to `p`, which has nothing. */
static void move_samples(struct profile *p, struct profile *from)
{
    p->samples = from->samples;
    p->sample_capacity = from->sample_capacity;
    p->n_samples = from->n_samples;
    p->values = from->values;
    p->value_capacity = from->value_capacity;
    p->stacks = from->stacks;
    p->stack_capacity = from->stack_capacity;
    p->n_stacks = from->n_stacks;
    p->stack_pcs = from->stack_pcs;
    p->stack_pc_capacity = from->stack_pc_capacity;
    p->n_stack_pcs = from->n_stack_pcs;
    p->pcs = from->pcs;
    p->labels = from->labels;
    p->label_capacity = from->label_capacity;
    p->n_labels = from->n_labels;
    memcpy(p->last_labels, from->last_labels, sizeof(p->last_labels));
    p->sample_table = from->sample_table;
    p->stack_table = from->stack_table;
    p->label_table = from->label_table;
    p->key = from->key;
    p->found = from->found;
    p->found_capacity = from->found_capacity;
    free(from->waiting_pcs);
    profile_init(from);
}

void profile_add_again(struct profile *p, const struct profile *from, size_t sample,
                       const struct profile_labels *labels, uint32_t epoch,
                       const int64_t *values)
{
    const struct profile_stack *stack = &from->stacks[from->samples[sample].stack];
    uint64_t *pcs = (uint64_t *)must_allocate(stack->n * sizeof(*pcs));

    for (uint32_t i = 0; i < stack->n; i++)
        pcs[i] = profile_pc(from, stack, i);
    profile_add_to_epoch(p, labels, epoch, &(struct fxt_words){pcs, stack->n, false},
                         values);
    free(pcs);
}

void profile_take(struct profile *p, struct profile *from)
{
    profile_settle(from);
    profile_settle(p);
    if (p->n_labels == 0) {
        move_samples(p, from);
        return;
    }
    for (size_t i = 0; i < from->n_samples; i++)
        profile_add_again(p, from, i, &from->labels[from->samples[i].labels], 0,
                          from->values + i * from->n_types);
    profile_settle(p);
}
