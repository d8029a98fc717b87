/* SPDX-License-Identifier: BSD-2-Clause */
/* See profile.h: adding samples, and finding those that are equal. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/compiler.h>

#include "profile.h"

/* How many PCs of those that wait are copied, unless there is a stack of more. */
enum { COPIED_MAX = 4096 };

/* ---- Labels ------------------------------------------------------------------------ */

static bool same_labels(const struct profile_labels *a, const struct profile_labels *b)
{
    return a->thread == b->thread && a->process == b->process && a->cpu == b->cpu &&
           a->process_name == b->process_name && a->thread_name == b->thread_name &&
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
    if (labels->process_name > 0 || labels->thread_name > 0)
        hash = hash_word(hash_word(hash, labels->process_name), labels->thread_name);
    probe = table_probe(&p->label_table, hash);
    while (table_next(&p->label_table, &probe, &number)) {
        if (same_labels(&p->labels[number], labels))
            return number;
    }
    table_add(&p->label_table, hash, p->n_labels);
    p->labels = (struct profile_labels *)memory_grow(
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
    p->tags = (struct profile_tag *)memory_grow(p->tags, p->n_tags, &p->tag_capacity,
                                                sizeof(*p->tags));
    p->tags[p->n_tags] = tag;
    return (uint32_t)p->n_tags++;
}

/* ---- Stacks ------------------------------------------------------------------------ */

/* Adds a stack whose PCs will have their numbers when all that waits was looked up. */
static uint32_t add_stack(struct profile *p, const struct waiting *waiting)
{
    uint32_t *frames = arena_add(&p->frames, waiting->n);

    p->stacks = (struct profile_stack *)memory_grow(
        p->stacks, p->n_stacks, &p->stack_capacity, sizeof(*p->stacks));
    p->stacks[p->n_stacks] = (struct profile_stack){p->labels[waiting->labels].process,
                                                    frames, waiting->n, waiting->epoch};
    p->new_runs[p->n_new_runs++] = (struct pc_run){waiting->pcs, frames, waiting->n};
    p->n_frames_in_all += waiting->n;
    return (uint32_t)p->n_stacks++;
}

/* ---- Samples ----------------------------------------------------------------------- */

static void add_values(struct profile *p, uint32_t sample, const int64_t *values)
{
    int64_t *sums = p->values + (size_t)sample * p->n_types;

    for (uint32_t i = 0; i < p->n_types; i++)
        sums[i] = profile_add_up(sums[i], values[i]);
}

static uint32_t add_sample(struct profile *p, uint32_t stack,
                           const struct waiting *waiting)
{
    p->samples = (struct profile_sample *)memory_grow(
        p->samples, p->n_samples, &p->sample_capacity, sizeof(*p->samples));
    p->samples[p->n_samples] = (struct profile_sample){stack, waiting->labels};
    p->values = (int64_t *)memory_grow(p->values, p->n_samples, &p->value_capacity,
                                       p->n_types * sizeof(*p->values));
    for (uint32_t i = 0; i < p->n_types; i++)
        p->values[p->n_samples * p->n_types + i] = waiting->values[i];
    return (uint32_t)p->n_samples++;
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
            add_values(p, number, waiting->values);
            return number;
        }
    }
    table_add(&p->sample_table, hash, p->n_samples);
    return add_sample(p, stack, waiting);
}

static uint16_t short_labels(uint32_t labels)
{
    return labels < STACK_SLOT_MAX ? (uint16_t)labels : STACK_SLOT_MAX;
}

/* Whether the sample of a slot has some labels. */
static bool has_labels(const struct profile *p, const struct stack_slot *slot,
                       uint32_t labels)
{
    if (FXT_LIKELY(labels < STACK_SLOT_MAX))
        return slot->labels == labels;
    return p->samples[slot->entry - 1].labels == labels;
}

/* Adds what is still to be added to the sample of a slot; nothing, and to any sample, if
 * the slot is free. */
static void settle(struct profile *p, struct stack_slot *slot)
{
    uint32_t sample = slot->entry - (slot->entry > 0);
    int64_t *sum = &p->values[(size_t)sample * p->n_types];

    *sum = profile_add_up(*sum, slot->count);
    slot->count = 0;
}

/* Mostly a sample is one more, which needs no look at the others' values. */
static void add_to_slot(struct profile *p, struct stack_slot *slot, const int64_t *values)
{
    if (FXT_UNLIKELY(values[0] != 1 || p->n_types > 1)) {
        add_values(p, slot->entry - 1, values);
        return;
    }
    slot->count++;
    if (FXT_UNLIKELY(slot->count == STACK_SLOT_MAX))
        settle(p, slot);
}

static uint32_t count_sample(struct profile *p, const struct waiting *waiting)
{
    struct stack_slot *slot;
    uint32_t sample;

    stack_table_make_room(&p->stack_table);
    slot = stack_table_find(&p->stack_table, waiting->print);
    if (FXT_UNLIKELY(slot->entry == 0)) {
        sample = add_sample(p, add_stack(p, waiting), waiting);
        *slot = (struct stack_slot){waiting->print, sample + 1,
                                    short_labels(waiting->labels), 0};
        p->stack_table.n_used++;
        return sample;
    }
    if (!has_labels(p, slot, waiting->labels))
        return count_other(p, p->samples[slot->entry - 1].stack, waiting);
    add_to_slot(p, slot, waiting->values);
    return slot->entry - 1;
}

/* ---- Samples that wait ------------------------------------------------------------- */

void profile_look_up(struct profile *p)
{
    p->has_unsettled |= p->n_waiting > 0;
    for (uint32_t i = 0; i < p->n_waiting; i++) {
        const struct waiting *waiting = &p->waiting[i];
        uint32_t sample = count_sample(p, waiting);

        if (waiting->is_logged)
            time_log_add(&p->log, sample, waiting->time_ns);
    }
    pc_set_number(&p->pcs, p->new_runs, p->n_new_runs);
    p->n_new_runs = 0;
    p->n_waiting = 0;
    p->n_copied_pcs = 0;
}

void profile_settle(struct profile *p)
{
    profile_look_up(p);
    for (size_t i = 0; i < p->stack_table.n_slots && p->has_unsettled; i++)
        settle(p, &p->stack_table.slots[i]);
    p->has_unsettled = false;
}

/* Makes a sample wait, after those that are too many. A look-up goes to a place in memory
 * that is no cache's; by the time that it comes, the processor has fetched that. */
static void wait_for(struct profile *p, const struct profile_labels *labels,
                     const void *pcs, uint64_t n, uint32_t epoch, const int64_t *values)
{
    struct waiting *waiting;

    assert(n > 0 && p->n_types > 0);
    if (p->n_waiting == PROFILE_WAITING_MAX)
        profile_look_up(p);
    waiting = &p->waiting[p->n_waiting++];
    waiting->print = fingerprint_make(&p->key, pcs, (uint32_t)n, labels->process, epoch);
    stack_table_prefetch(&p->stack_table, waiting->print);
    waiting->pcs = (const unsigned char *)pcs;
    waiting->n = (uint32_t)n;
    waiting->epoch = epoch;
    waiting->labels = find_labels_again(p, labels);
    waiting->is_logged = false;
    for (uint32_t i = 0; i < p->n_types; i++)
        waiting->values[i] = values[i];
}

/* Room for PCs that stay until they were looked up. */
static uint64_t *make_room(struct profile *p, uint64_t n)
{
    uint64_t *room;

    /* What waits must stay where it is, and what is looked up goes. */
    if (p->n_waiting == PROFILE_WAITING_MAX ||
        p->copied_pc_capacity - p->n_copied_pcs < n) {
        profile_look_up(p);
        p->copied_pcs = (uint64_t *)memory_make_room(
            p->copied_pcs, 0, n > COPIED_MAX ? n : COPIED_MAX, &p->copied_pc_capacity,
            sizeof(*p->copied_pcs));
    }
    room = p->copied_pcs + p->n_copied_pcs;
    p->n_copied_pcs += n;
    return room;
}

void profile_lend(struct profile *p, const struct profile_labels *labels,
                  const struct fxt_words *pcs, const int64_t *values)
{
    if (pcs->swapped)
        profile_add(p, labels, pcs, values);
    else
        wait_for(p, labels, pcs->data, pcs->count, 0, values);
}

void profile_add(struct profile *p, const struct profile_labels *labels,
                 const struct fxt_words *pcs, const int64_t *values)
{
    uint64_t *copy = make_room(p, pcs->count);

    for (uint64_t i = 0; i < pcs->count; i++)
        copy[i] = fxt_words_get(*pcs, i);
    wait_for(p, labels, copy, pcs->count, 0, values);
}

void profile_log_time(struct profile *p, uint64_t time_ns)
{
    struct waiting *waiting = &p->waiting[p->n_waiting - 1];

    assert(p->n_waiting > 0);
    waiting->is_logged = true;
    waiting->time_ns = time_ns;
}

void profile_log_mark(struct profile *p, uint64_t number)
{
    profile_look_up(p);
    time_log_add(&p->log, TIME_LOG_MARK, number);
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
    p->frames = from->frames;
    p->n_frames_in_all = from->n_frames_in_all;
    p->pcs = from->pcs;
    p->labels = from->labels;
    p->label_capacity = from->label_capacity;
    p->n_labels = from->n_labels;
    memcpy(p->last_labels, from->last_labels, sizeof(p->last_labels));
    p->sample_table = from->sample_table;
    p->stack_table = from->stack_table;
    p->label_table = from->label_table;
    p->key = from->key;
    memory_release(from->copied_pcs);
    profile_init(from);
}

void profile_add_again(struct profile *p, const struct profile *from, size_t sample,
                       const struct profile_labels *labels, uint32_t epoch,
                       const int64_t *values)
{
    /* A copy, since the stacks may move when others are looked up. */
    struct profile_stack stack = from->stacks[from->samples[sample].stack];
    uint64_t *pcs = make_room(p, stack.n);

    for (uint32_t i = 0; i < stack.n; i++)
        pcs[i] = from->pcs.pcs[stack.frames[i]];
    wait_for(p, labels, pcs, stack.n, epoch, values);
}

void profile_take(struct profile *p, struct profile *from)
{
    assert(p != from && p->n_types == from->n_types);
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
