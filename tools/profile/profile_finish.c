/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of adding to a profile: samples go to their processes, and into an order. */
#include <stdlib.h>
#include <string.h>

#include "profile.h"

/* Adds to the sample that is as another one, but for the process and the epoch. */
static void add_again(struct profile *p, size_t sample, uint64_t process, uint32_t epoch,
                      const int64_t *values)
{
    const struct profile_stack *stack = &p->stacks[p->samples[sample].stack];
    struct profile_labels labels = p->labels[p->samples[sample].labels];
    uint64_t *copy = (uint64_t *)must_allocate(stack->n * sizeof(*copy));
    struct fxt_words pcs = {copy, stack->n, false};

    memcpy(copy, p->pcs + stack->first, stack->n * sizeof(*copy));
    labels.process = process;
    profile_add_to_epoch(p, &labels, epoch, pcs, values);
    free(copy);
}

void profile_move_to_epoch(struct profile *p, uint32_t sample, uint64_t process,
                           uint32_t epoch, const int64_t *values)
{
    for (uint32_t i = 0; i < p->n_types; i++)
        p->values[(size_t)sample * p->n_types + i] -= values[i];
    add_again(p, sample, process, epoch, values);
    p->has_epochs = true;
}

/* Counts a sample again, as one of another process, and no more where it was. */
static void move_sample(struct profile *p, size_t sample, uint64_t process)
{
    int64_t values[PROFILE_TYPES_MAX];

    memcpy(values, p->values + sample * p->n_types, p->n_types * sizeof(*values));
    memset(p->values + sample * p->n_types, 0, p->n_types * sizeof(*values));
    add_again(p, sample, process, 0, values);
}

static void find_processes(struct profile *p)
{
    size_t n = p->n_samples;

    for (size_t i = 0; i < n; i++) {
        const struct profile_labels *labels = &p->labels[p->samples[i].labels];
        uint64_t process = who_process(&p->who, labels->thread);

        if (labels->process == 0 && process != 0)
            move_sample(p, i, process);
    }
}

/* A sample and what it is sorted by. */
struct row {
    const struct profile_labels *labels;
    const uint64_t *pcs;
    /* The first of them, which mostly decides. */
    uint64_t leaf;
    uint32_t n;
    uint32_t epoch;
    uint32_t sample;
};

static int order_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

int profile_order_labels(const struct profile_labels *a, const struct profile_labels *b)
{
    if (a->time_ns != b->time_ns)
        return order_numbers(a->time_ns, b->time_ns);
    if (a->process != b->process)
        return order_numbers(a->process, b->process);
    if (a->thread != b->thread)
        return order_numbers(a->thread, b->thread);
    if (a->cpu != b->cpu)
        return order_numbers(a->cpu, b->cpu);
    return order_numbers(a->tag, b->tag);
}

static int order_rows(const void *left, const void *right)
{
    const struct row *a = (const struct row *)left;
    const struct row *b = (const struct row *)right;

    if (a->labels != b->labels)
        return profile_order_labels(a->labels, b->labels);
    if (a->leaf != b->leaf)
        return order_numbers(a->leaf, b->leaf);
    for (uint32_t i = 1; i < a->n && i < b->n; i++) {
        if (a->pcs[i] != b->pcs[i])
            return order_numbers(a->pcs[i], b->pcs[i]);
    }
    return a->n != b->n ? order_numbers(a->n, b->n) : order_numbers(a->epoch, b->epoch);
}

/* All samples but those whose values are all zero. */
static size_t list_rows(const struct profile *p, struct row *rows)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_samples; i++) {
        const struct profile_stack *stack = &p->stacks[p->samples[i].stack];
        const int64_t *values = p->values + i * p->n_types;
        uint32_t type = 0;

        while (type < p->n_types && values[type] == 0)
            type++;
        if (type < p->n_types) {
            const uint64_t *pcs = p->pcs + stack->first;

            rows[n++] = (struct row){&p->labels[p->samples[i].labels],
                                     pcs,
                                     pcs[0],
                                     stack->n,
                                     stack->epoch,
                                     (uint32_t)i};
        }
    }
    return n;
}

static void take_order(struct profile *p, const struct row *rows, size_t n)
{
    struct profile_sample *samples =
        (struct profile_sample *)must_allocate(n * sizeof(*samples));
    int64_t *values = (int64_t *)must_allocate(n * p->n_types * sizeof(*values));

    for (size_t i = 0; i < n; i++) {
        samples[i] = p->samples[rows[i].sample];
        memcpy(values + i * p->n_types, p->values + (size_t)rows[i].sample * p->n_types,
               p->n_types * sizeof(*values));
    }
    free(p->samples);
    free(p->values);
    p->samples = samples;
    p->values = values;
    p->n_samples = n;
}

/* What order_stacks will need of a sample that is not far ahead. */
static void prefetch_stack(const struct profile *p, size_t sample)
{
    enum { AHEAD = 12, LINE_WORDS = 8 };
    const struct profile_stack *stack;

    if (sample + 2 * AHEAD >= p->n_samples)
        return;
    FXT_PREFETCH(&p->stacks[p->samples[sample + 2 * AHEAD].stack]);
    stack = &p->stacks[p->samples[sample + AHEAD].stack];
    for (uint32_t word = 0; word < stack->n; word += LINE_WORDS)
        FXT_PREFETCH(&p->pcs[stack->first + word]);
}

/* Puts the stacks, and their PCs, into the order in which the samples have them: whoever
 * goes through the samples then goes straight through memory. What no sample has is left
 * out. */
static void order_stacks(struct profile *p)
{
    struct profile_stack *stacks =
        (struct profile_stack *)must_allocate(p->n_stacks * sizeof(*stacks));
    uint64_t *pcs = (uint64_t *)must_allocate(p->n_pcs * sizeof(*pcs));
    uint32_t n_stacks = 0;
    size_t n_pcs = 0;

    for (size_t i = 0; i < p->n_stacks; i++)
        p->stacks[i].last_sample = UINT32_MAX;
    for (size_t i = 0; i < p->n_samples; i++) {
        struct profile_stack *stack = &p->stacks[p->samples[i].stack];

        prefetch_stack(p, i);
        if (stack->last_sample == UINT32_MAX) {
            memcpy(pcs + n_pcs, p->pcs + stack->first, stack->n * sizeof(*pcs));
            stacks[n_stacks] = *stack;
            stacks[n_stacks].first = n_pcs;
            n_pcs += stack->n;
            stack->last_sample = n_stacks++;
        }
        p->samples[i].stack = stack->last_sample;
    }
    free(p->stacks);
    free(p->pcs);
    p->stacks = stacks;
    p->n_stacks = n_stacks;
    p->pcs = pcs;
    p->n_pcs = n_pcs;
}

void profile_finish(struct profile *p)
{
    struct row *rows;
    size_t n;

    profile_settle(p);
    find_processes(p);
    profile_settle(p);
    rows = (struct row *)must_allocate(p->n_samples * sizeof(*rows));
    n = list_rows(p, rows);
    qsort(rows, n, sizeof(*rows), order_rows);
    take_order(p, rows, n);
    free(rows);
    table_free(&p->sample_table);
    table_free(&p->stack_table);
    table_free(&p->label_table);
    order_stacks(p);
}
