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

/* The same, at less cost where the thread goes on running. */
static uint32_t find_labels_again(struct profile *p, const struct profile_labels *labels)
{
    if (p->n_labels == 0 || !same_labels(&p->labels[p->last_labels], labels))
        p->last_labels = find_labels(p, labels);
    return p->last_labels;
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
    while (p->tag_capacity <= p->n_tags)
        p->tags = (struct profile_tag *)must_grow(p->tags, p->tag_capacity,
                                                  &p->tag_capacity, sizeof(*p->tags));
    p->tags[p->n_tags] = tag;
    return (uint32_t)p->n_tags++;
}

/* ---- Stacks ------------------------------------------------------------------------ */

static uint32_t find_pc(struct profile *p, uint64_t pc)
{
    uint64_t hash = hash_word(p->key.words[0], pc);
    struct table_probe probe = table_probe(&p->pc_table, hash);
    uint32_t number;

    while (table_next(&p->pc_table, &probe, &number)) {
        if (p->pcs[number] == pc)
            return number;
    }
    table_add(&p->pc_table, hash, p->n_pcs);
    p->pcs = (uint64_t *)must_grow(p->pcs, p->n_pcs, &p->pc_capacity, sizeof(*p->pcs));
    p->pcs[p->n_pcs] = pc;
    return (uint32_t)p->n_pcs++;
}

static uint32_t add_stack(struct profile *p, const struct waiting *waiting)
{
    const uint64_t *pcs = p->waiting_pcs + waiting->first;

    p->stacks = (struct profile_stack *)must_grow(p->stacks, p->n_stacks,
                                                  &p->stack_capacity, sizeof(*p->stacks));
    p->stacks[p->n_stacks] = (struct profile_stack){
        p->labels[waiting->labels].process, p->n_stack_pcs, waiting->n, waiting->epoch};
    while (p->stack_pc_capacity - p->n_stack_pcs < waiting->n)
        p->stack_pcs =
            (uint32_t *)must_grow(p->stack_pcs, p->stack_pc_capacity,
                                  &p->stack_pc_capacity, sizeof(*p->stack_pcs));
    for (uint32_t i = 0; i < waiting->n; i++)
        p->stack_pcs[p->n_stack_pcs + i] = find_pc(p, pcs[i]);
    p->n_stack_pcs += waiting->n;
    return (uint32_t)p->n_stacks++;
}

static struct fingerprint stack_print(const struct profile *p,
                                      const struct waiting *waiting)
{
    return fingerprint_with(&p->key, waiting->pcs_print,
                            p->labels[waiting->labels].process, waiting->epoch);
}

static uint32_t find_stack(struct profile *p, const struct waiting *waiting)
{
    struct fingerprint print = stack_print(p, waiting);
    uint64_t hash = fingerprint_hash(print);
    struct table_probe probe = table_probe(&p->stack_table, hash);
    uint32_t number;

    while (table_next(&p->stack_table, &probe, &number)) {
        if (fingerprint_same(p->stack_prints[number], print))
            return number;
    }
    table_add(&p->stack_table, hash, p->n_stacks);
    p->stack_prints = (struct fingerprint *)must_grow(
        p->stack_prints, p->n_stacks, &p->stack_print_capacity, sizeof(*p->stack_prints));
    p->stack_prints[p->n_stacks] = print;
    return add_stack(p, waiting);
}

/* ---- Samples ----------------------------------------------------------------------- */

static uint32_t add_sample(struct profile *p, const struct waiting *waiting)
{
    uint32_t stack = find_stack(p, waiting);

    p->samples = (struct profile_sample *)must_grow(
        p->samples, p->n_samples, &p->sample_capacity, sizeof(*p->samples));
    p->samples[p->n_samples] = (struct profile_sample){stack, waiting->labels};
    p->sample_prints = (struct fingerprint *)must_grow(p->sample_prints, p->n_samples,
                                                       &p->sample_print_capacity,
                                                       sizeof(*p->sample_prints));
    p->sample_prints[p->n_samples] = waiting->print;
    p->values = (int64_t *)must_grow(p->values, p->n_samples, &p->value_capacity,
                                     p->n_types * sizeof(*p->values));
    memset(p->values + p->n_samples * p->n_types, 0, p->n_types * sizeof(*p->values));
    return (uint32_t)p->n_samples++;
}

static uint32_t find_sample(struct profile *p, const struct waiting *waiting)
{
    uint64_t hash = fingerprint_hash(waiting->print);
    struct table_probe probe = table_probe(&p->sample_table, hash);
    uint32_t number;

    while (table_next(&p->sample_table, &probe, &number)) {
        if (fingerprint_same(p->sample_prints[number], waiting->print))
            return number;
    }
    table_add(&p->sample_table, hash, p->n_samples);
    return add_sample(p, waiting);
}

static uint32_t count_sample(struct profile *p, const struct waiting *waiting)
{
    uint32_t sample = find_sample(p, waiting);
    int64_t *sums = p->values + (size_t)sample * p->n_types;

    for (uint32_t i = 0; i < p->n_types; i++)
        sums[i] = profile_add_up(sums[i], waiting->values[i]);
    return sample;
}

/* ---- Samples that wait ------------------------------------------------------------- */

/* A look-up goes through memory at three places: the table, and what that leads to, the
 * sample's fingerprint and its values, or for a new sample the table of stacks. Here it
 * is taken as far as it costs nothing but to say that these will be needed, for all that
 * wait, so that the processor fetches for one what it would else wait for. */
static void prefetch_samples(const struct profile *p)
{
    for (uint32_t i = 0; i < p->n_waiting; i++) {
        struct table_probe probe =
            table_probe(&p->sample_table, fingerprint_hash(p->waiting[i].print));
        uint32_t likely;

        if (table_next(&p->sample_table, &probe, &likely)) {
            FXT_PREFETCH(&p->sample_prints[likely]);
            FXT_PREFETCH(&p->values[(size_t)likely * p->n_types]);
        } else {
            table_prefetch(&p->stack_table,
                           fingerprint_hash(stack_print(p, &p->waiting[i])));
        }
    }
}

void profile_settle(struct profile *p)
{
    prefetch_samples(p);
    for (uint32_t i = 0; i < p->n_waiting; i++) {
        const struct waiting *waiting = &p->waiting[i];
        uint32_t sample = count_sample(p, waiting);

        if (waiting->is_logged)
            time_log_add(&p->log, sample, waiting->time_ns);
    }
    p->n_waiting = 0;
    p->n_waiting_pcs = 0;
}

static void copy_pcs(uint64_t *to, struct fxt_words pcs)
{
    if (!pcs.swapped) {
        memcpy(to, pcs.data, pcs.count * sizeof(*to));
        return;
    }
    for (uint64_t i = 0; i < pcs.count; i++)
        to[i] = fxt_words_get(pcs, i);
}

/* A copy of the PCs, among those that wait. */
static const uint64_t *keep_pcs(struct profile *p, struct fxt_words pcs)
{
    uint64_t *copy;

    while (p->waiting_pc_capacity - p->n_waiting_pcs < pcs.count)
        p->waiting_pcs =
            (uint64_t *)must_grow(p->waiting_pcs, p->waiting_pc_capacity,
                                  &p->waiting_pc_capacity, sizeof(*p->waiting_pcs));
    copy = p->waiting_pcs + p->n_waiting_pcs;
    copy_pcs(copy, pcs);
    p->n_waiting_pcs += pcs.count;
    return copy;
}

/* Makes a sample wait, after those that are too many. */
static struct waiting *wait_for(struct profile *p, const struct profile_labels *labels,
                                uint32_t epoch, struct fxt_words pcs,
                                const int64_t *values)
{
    struct waiting *waiting;

    if (p->n_waiting == PROFILE_WAITING_MAX || p->n_waiting_pcs >= WAITING_PCS_MAX)
        profile_settle(p);
    waiting = &p->waiting[p->n_waiting++];
    waiting->first = (uint32_t)p->n_waiting_pcs;
    waiting->n = (uint32_t)pcs.count;
    waiting->pcs_print = fingerprint_of(&p->key, keep_pcs(p, pcs), pcs.count);
    waiting->epoch = epoch;
    waiting->labels = find_labels_again(p, labels);
    waiting->print =
        fingerprint_with(&p->key, waiting->pcs_print, waiting->labels, epoch);
    waiting->is_logged = false;
    memcpy(waiting->values, values, p->n_types * sizeof(*values));
    table_prefetch(&p->sample_table, fingerprint_hash(waiting->print));
    return waiting;
}

void profile_add(struct profile *p, const struct profile_labels *labels,
                 struct fxt_words pcs, const int64_t *values)
{
    wait_for(p, labels, 0, pcs, values);
}

void profile_add_logged(struct profile *p, const struct profile_labels *labels,
                        struct fxt_words pcs, const int64_t *values, uint64_t time_ns)
{
    struct waiting *waiting = wait_for(p, labels, 0, pcs, values);

    waiting->is_logged = true;
    waiting->time_ns = time_ns;
}

void profile_add_to_epoch(struct profile *p, const struct profile_labels *labels,
                          uint32_t epoch, struct fxt_words pcs, const int64_t *values)
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
    p->pc_capacity = from->pc_capacity;
    p->n_pcs = from->n_pcs;
    p->labels = from->labels;
    p->label_capacity = from->label_capacity;
    p->n_labels = from->n_labels;
    p->last_labels = from->last_labels;
    p->sample_table = from->sample_table;
    p->stack_table = from->stack_table;
    p->pc_table = from->pc_table;
    p->label_table = from->label_table;
    p->key = from->key;
    p->sample_prints = from->sample_prints;
    p->sample_print_capacity = from->sample_print_capacity;
    p->stack_prints = from->stack_prints;
    p->stack_print_capacity = from->stack_print_capacity;
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
    profile_add_to_epoch(p, labels, epoch, (struct fxt_words){pcs, stack->n, false},
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
