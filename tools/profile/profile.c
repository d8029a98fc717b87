/* SPDX-License-Identifier: BSD-2-Clause */
/* See profile.h: adding samples, and putting them in order. */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

/* How many PCs of them wait together, but for the last one's. */
enum { WAITING_PCS_MAX = 4096 };

void profile_init(struct profile *p)
{
    *p = (struct profile){.n_types = 0};
}

void profile_add_type(struct profile *p, const char *type, const char *unit)
{
    p->types[p->n_types++] = (struct profile_type){type, unit};
}

void profile_comment(struct profile *p, const char *sentence)
{
    p->comments = (char **)must_grow(p->comments, p->n_comments, &p->comment_capacity,
                                     sizeof(*p->comments));
    p->comments[p->n_comments++] = must_copy(sentence);
}

/* ---- Labels ------------------------------------------------------------------------ */

static bool same_labels(const struct profile_labels *a, const struct profile_labels *b)
{
    return a->thread == b->thread && a->process == b->process && a->cpu == b->cpu &&
           a->tag == b->tag && a->time_ns == b->time_ns;
}

static uint32_t find_labels(struct profile *p, const struct profile_labels *labels)
{
    uint64_t hash = hash_word(hash_word(0, labels->process), labels->thread);
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

uint32_t profile_add_tag(struct profile *p, struct profile_tag tag)
{
    uint64_t hash = hash_word(hash_word(0, tag.address), tag.bytes);
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

/* The number of labels, at less cost where the thread goes on running. */
static uint32_t find_labels_again(struct profile *p, const struct profile_labels *labels)
{
    if (p->n_labels == 0 || !same_labels(&p->labels[p->last_labels], labels))
        p->last_labels = find_labels(p, labels);
    return p->last_labels;
}

/* ---- Stacks ------------------------------------------------------------------------ */

/* An array of PCs with room for `more` behind the first `n`. */
static uint64_t *make_room(uint64_t *pcs, size_t n, size_t *capacity, uint64_t more)
{
    while (*capacity - n < more)
        pcs = (uint64_t *)must_grow(pcs, *capacity, capacity, sizeof(*pcs));
    return pcs;
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

static uint64_t rotate(uint64_t word, int bits)
{
    return word << bits | word >> (64 - bits);
}

/* Two chains, of every other word each: the processor works on both at a time. */
static uint64_t hash_pcs(uint64_t seed, const uint64_t *pcs, uint64_t n)
{
    const uint64_t factor = 0x9e3779b97f4a7c15;
    uint64_t even = seed;
    uint64_t odd = n;

    for (; n >= 2; n -= 2) {
        even = rotate((even ^ pcs[0]) * factor, 29);
        odd = rotate((odd ^ pcs[1]) * factor, 31);
        pcs += 2;
    }
    if (n > 0)
        even = rotate((even ^ pcs[0]) * factor, 29);
    return hash_word(hash_word(even, odd), seed);
}

static bool same_stack(const struct profile *p, const struct profile_stack *stack,
                       const struct waiting *waiting)
{
    return stack->n == waiting->n && stack->process == waiting->process &&
           stack->epoch == waiting->epoch &&
           memcmp(p->pcs + stack->first, p->waiting_pcs + waiting->first,
                  waiting->n * sizeof(*p->pcs)) == 0;
}

static uint32_t find_stack(struct profile *p, const struct waiting *waiting)
{
    struct table_probe probe = table_probe(&p->stack_table, waiting->hash);
    uint32_t number;

    while (table_next(&p->stack_table, &probe, &number)) {
        if (same_stack(p, &p->stacks[number], waiting))
            return number;
    }
    table_add(&p->stack_table, waiting->hash, p->n_stacks);
    p->stacks = (struct profile_stack *)must_grow(p->stacks, p->n_stacks,
                                                  &p->stack_capacity, sizeof(*p->stacks));
    p->stacks[p->n_stacks] = (struct profile_stack){
        waiting->process, p->n_pcs, waiting->n, waiting->epoch, UINT32_MAX};
    p->pcs = make_room(p->pcs, p->n_pcs, &p->pc_capacity, waiting->n);
    memcpy(p->pcs + p->n_pcs, p->waiting_pcs + waiting->first,
           waiting->n * sizeof(*p->pcs));
    p->n_pcs += waiting->n;
    return (uint32_t)p->n_stacks++;
}

/* ---- Samples ----------------------------------------------------------------------- */

static uint32_t add_sample(struct profile *p, uint32_t stack, uint32_t labels)
{
    p->samples = (struct profile_sample *)must_grow(
        p->samples, p->n_samples, &p->sample_capacity, sizeof(*p->samples));
    p->samples[p->n_samples] = (struct profile_sample){stack, labels};
    p->values = (int64_t *)must_grow(p->values, p->n_samples, &p->value_capacity,
                                     p->n_types * sizeof(*p->values));
    memset(p->values + p->n_samples * p->n_types, 0, p->n_types * sizeof(*p->values));
    return (uint32_t)p->n_samples++;
}

static uint32_t find_sample(struct profile *p, uint32_t stack, uint32_t labels)
{
    uint64_t hash = hash_word(hash_word(0, stack), labels);
    struct table_probe probe = table_probe(&p->sample_table, hash);
    uint32_t number;

    while (table_next(&p->sample_table, &probe, &number)) {
        if (p->samples[number].stack == stack && p->samples[number].labels == labels)
            return number;
    }
    table_add(&p->sample_table, hash, p->n_samples);
    return add_sample(p, stack, labels);
}

static uint32_t add_to_sample(struct profile *p, uint32_t stack, uint32_t labels,
                              const int64_t *values)
{
    uint32_t *last = &p->stacks[stack].last_sample;
    int64_t *sums;

    if (*last == UINT32_MAX || p->samples[*last].labels != labels)
        *last = find_sample(p, stack, labels);
    sums = p->values + (size_t)*last * p->n_types;
    for (uint32_t i = 0; i < p->n_types; i++)
        sums[i] = profile_add_up(sums[i], values[i]);
    return *last;
}

/* ---- Samples that wait ---------------------------------------------------------- */

/* A look-up goes through memory at four places, each found by the one before: the table,
 * the stack, its PCs and its sample. Here it is taken as far as it costs nothing but to
 * say that the next place will be needed, for all that wait, so that the processor
 * fetches for one what it would else wait for. */
static void prefetch_stacks(struct profile *p)
{
    for (uint32_t i = 0; i < p->n_waiting; i++) {
        struct waiting *waiting = &p->waiting[i];
        struct table_probe probe = table_probe(&p->stack_table, waiting->hash);

        waiting->likely = UINT32_MAX;
        if (table_next(&p->stack_table, &probe, &waiting->likely))
            FXT_PREFETCH(&p->stacks[waiting->likely]);
    }
}

static void prefetch_pcs(const struct profile *p)
{
    enum { LINE_WORDS = 8 };

    for (uint32_t i = 0; i < p->n_waiting; i++) {
        const struct profile_stack *stack;

        if (p->waiting[i].likely == UINT32_MAX)
            continue;
        stack = &p->stacks[p->waiting[i].likely];
        if (stack->n != p->waiting[i].n)
            continue;
        for (uint32_t word = 0; word < stack->n; word += LINE_WORDS)
            FXT_PREFETCH(&p->pcs[stack->first + word]);
        FXT_PREFETCH(&p->pcs[stack->first + stack->n - 1]);
        FXT_PREFETCH(&p->samples[stack->last_sample]);
        FXT_PREFETCH(&p->values[(size_t)stack->last_sample * p->n_types]);
    }
}

void profile_settle(struct profile *p)
{
    prefetch_stacks(p);
    prefetch_pcs(p);
    for (uint32_t i = 0; i < p->n_waiting; i++) {
        const struct waiting *waiting = &p->waiting[i];
        uint32_t sample =
            add_to_sample(p, find_stack(p, waiting), waiting->labels, waiting->values);

        if (waiting->is_logged)
            time_log_add(&p->log, sample, waiting->time_ns);
    }
    p->n_waiting = 0;
    p->n_waiting_pcs = 0;
}

/* Makes a sample wait, after those that are too many. */
static struct waiting *wait_for(struct profile *p, const struct profile_labels *labels,
                                uint32_t epoch, struct fxt_words pcs,
                                const int64_t *values)
{
    struct waiting *waiting;
    uint64_t *copy;

    if (p->n_waiting == PROFILE_WAITING_MAX || p->n_waiting_pcs >= WAITING_PCS_MAX)
        profile_settle(p);
    p->waiting_pcs =
        make_room(p->waiting_pcs, p->n_waiting_pcs, &p->waiting_pc_capacity, pcs.count);
    copy = p->waiting_pcs + p->n_waiting_pcs;
    copy_pcs(copy, pcs);
    waiting = &p->waiting[p->n_waiting++];
    waiting->hash = hash_pcs(labels->process + epoch, copy, pcs.count);
    waiting->process = labels->process;
    waiting->epoch = epoch;
    waiting->is_logged = false;
    waiting->first = (uint32_t)p->n_waiting_pcs;
    waiting->n = (uint32_t)pcs.count;
    p->n_waiting_pcs += pcs.count;
    waiting->labels = find_labels_again(p, labels);
    memcpy(waiting->values, values, p->n_types * sizeof(*values));
    table_prefetch(&p->stack_table, waiting->hash);
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
    p->pcs = from->pcs;
    p->pc_capacity = from->pc_capacity;
    p->n_pcs = from->n_pcs;
    p->labels = from->labels;
    p->label_capacity = from->label_capacity;
    p->n_labels = from->n_labels;
    p->last_labels = from->last_labels;
    p->sample_table = from->sample_table;
    p->stack_table = from->stack_table;
    p->label_table = from->label_table;
    free(from->waiting_pcs);
    profile_init(from);
}

void profile_take(struct profile *p, struct profile *from)
{
    profile_settle(from);
    profile_settle(p);
    if (p->n_labels == 0) {
        move_samples(p, from);
        return;
    }
    for (size_t i = 0; i < from->n_samples; i++) {
        const struct profile_stack *stack = &from->stacks[from->samples[i].stack];
        struct fxt_words pcs = {from->pcs + stack->first, stack->n, false};

        profile_add(p, &from->labels[from->samples[i].labels], pcs,
                    from->values + i * from->n_types);
    }
    profile_settle(p);
}

int64_t profile_total(const struct profile *p, uint32_t type)
{
    int64_t total = 0;

    for (size_t i = 0; i < p->n_samples; i++)
        total = profile_add_up(total, p->values[i * p->n_types + type]);
    return total;
}

void profile_count_frames(struct profile *p)
{
    unsigned char *is_named = (unsigned char *)must_allocate(p->n_locations);

    p->n_frames = 0;
    p->n_named_frames = 0;
    for (size_t i = 0; i < p->n_locations; i++)
        is_named[i] = p->locations[i].symbolized;
    for (size_t i = 0; i < p->n_samples; i++) {
        const struct profile_stack *stack = &p->stacks[p->samples[i].stack];
        uint64_t n = profile_count(p, i);
        uint64_t n_named = 0;

        for (uint32_t j = 0; j < stack->n; j++)
            n_named += is_named[p->frames[stack->first + j]];
        p->n_frames += n * stack->n;
        p->n_named_frames += n * n_named;
    }
    free(is_named);
}

/* ---- The end ----------------------------------------------------------------------- */

void profile_move_sample(struct profile *p, size_t from, size_t to)
{
    if (from == to)
        return;
    p->samples[to] = p->samples[from];
    memcpy(p->values + to * p->n_types, p->values + from * p->n_types,
           p->n_types * sizeof(*p->values));
}

struct string profile_line_name(const struct profile *p, uint32_t line)
{
    return strings_get(&p->names, p->functions[p->lines[line].function].name);
}

void profile_free(struct profile *p)
{
    for (size_t i = 0; i < p->n_comments; i++)
        free(p->comments[i]);
    free(p->comments);
    free(p->samples);
    free(p->values);
    free(p->stacks);
    free(p->pcs);
    free(p->waiting_pcs);
    free(p->labels);
    free(p->tags);
    table_free(&p->tag_table);
    free(p->frames);
    free(p->locations);
    free(p->lines);
    free(p->functions);
    free(p->mappings);
    who_free(&p->who);
    time_log_free(&p->log);
    strings_free(&p->pc_names);
    strings_free(&p->names);
    strings_free(&p->files);
    strings_free(&p->build_ids);
    table_free(&p->sample_table);
    table_free(&p->stack_table);
    table_free(&p->label_table);
}
