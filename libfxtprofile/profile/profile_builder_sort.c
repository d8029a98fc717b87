/* SPDX-License-Identifier: BSD-2-Clause */
/* See profile_builder.h: assigning samples to their processes, and sorting them. */
#include <string.h>

#include "common/base/sort.h"
#include "profile_builder.h"

void profile_builder_relabel(struct profile_builder *b, uint32_t sample,
                             const struct profile_labels *labels, uint32_t epoch,
                             const int64_t *values)
{
    struct profile *p = &b->profile;

    for (uint32_t i = 0; i < p->n_types; i++)
        p->values[(size_t)sample * p->n_types + i] -= values[i];
    profile_builder_add_again(b, b, sample, labels, epoch, values);
    b->has_epochs |= epoch > 0;
    b->may_have_equals |= epoch > 0;
}

/* Moves the values of a sample to that with another process. */
static void change_process(struct profile_builder *b, size_t sample, uint64_t process)
{
    struct profile *p = &b->profile;
    struct profile_labels labels = p->labels[p->samples[sample].labels];
    int64_t values[PROFILE_TYPES_MAX];

    labels.process = process;
    memcpy(values, p->values + sample * p->n_types, p->n_types * sizeof(*values));
    memset(p->values + sample * p->n_types, 0, p->n_types * sizeof(*values));
    profile_builder_add_again(b, b, sample, &labels, 0, values);
}

static void find_processes(struct profile_builder *b)
{
    const struct profile *p = &b->profile;
    size_t n = p->n_samples;

    for (size_t i = 0; i < n; i++) {
        const struct profile_labels *labels = &p->labels[p->samples[i].labels];
        uint64_t process = koid_names_process(&p->koid_names, labels->thread);

        if (labels->process == 0 && process != 0)
            change_process(b, i, process);
    }
}

/* ---- The order of samples ---------------------------------------------------------- */

int profile_builder_order_labels(const struct profile_labels *a,
                                 const struct profile_labels *b)
{
    if (a->time_ns != b->time_ns)
        return order_numbers(a->time_ns, b->time_ns);
    if (a->process != b->process)
        return order_numbers(a->process, b->process);
    if (a->thread != b->thread)
        return order_numbers(a->thread, b->thread);
    if (a->process_name != b->process_name)
        return order_numbers(a->process_name, b->process_name);
    if (a->thread_name != b->thread_name)
        return order_numbers(a->thread_name, b->thread_name);
    if (a->cpu != b->cpu)
        return order_numbers(a->cpu, b->cpu);
    if (a->tag != b->tag)
        return order_numbers(a->tag, b->tag);
    return order_pairs(a->event, b->event, a->weight, b->weight);
}

/* Labels that are ranked, and their number. */
struct ranked {
    const struct profile_labels *labels;
    uint32_t number;
};

SORT_ORDER(order_ranked, struct ranked,
           BY_ORDER(profile_builder_order_labels(a->labels, b->labels)));

/* The rank of each set of labels, from 1 on, for the caller to free. */
static uint32_t *rank_labels(const struct profile *p)
{
    struct ranked *all = (struct ranked *)memory_allocate(p->n_labels * sizeof(*all));
    uint32_t *ranks = (uint32_t *)memory_allocate(p->n_labels * sizeof(*ranks));

    for (uint32_t i = 0; i < p->n_labels; i++)
        all[i] = (struct ranked){&p->labels[i], i};
    SORT(all, p->n_labels, order_ranked);
    for (uint32_t i = 0; i < p->n_labels; i++)
        ranks[all[i].number] = i + 1;
    memory_release(all);
    return ranks;
}

static uint32_t *rank_pcs(const struct pc_set *pcs)
{
    uint32_t *ranks = (uint32_t *)memory_allocate(pcs->n * sizeof(*ranks));
    uint32_t *numbers = pc_set_sort(pcs);

    for (uint32_t i = 0; i < pcs->n; i++)
        ranks[numbers[i]] = i + 1;
    memory_release(numbers);
    return ranks;
}

/* The ranks of PCs, of which keys are made, and the width of each. */
struct pc_ranks {
    const struct profile_stack *stacks;
    const uint32_t *ranks;
    unsigned bits;
};

/* The ranks of as many PCs as a key has room for, leaf first; zeros after the root. */
static bool next_pcs(const void *context, struct sort_row *rows, size_t n_rows,
                     uint64_t n)
{
    enum { AHEAD = 8 };
    const struct pc_ranks *pcs = (const struct pc_ranks *)context;
    unsigned a_key = 64 / pcs->bits;
    uint64_t first = n * a_key;
    bool has_more = false;

    for (size_t i = 0; i < n_rows; i++) {
        const struct profile_stack *stack = &pcs->stacks[rows[i].source];
        uint64_t key = 0;

        if (i + 2 * AHEAD < n_rows)
            FXT_PREFETCH(&pcs->stacks[rows[i + 2 * AHEAD].source]);
        if (i + AHEAD < n_rows)
            FXT_PREFETCH(pcs->stacks[rows[i + AHEAD].source].frames + first);
        for (uint64_t at = first; at < first + a_key; at++)
            key = key << pcs->bits | (at < stack->n ? pcs->ranks[stack->frames[at]] : 0);
        rows[i].key = key;
        has_more |= first < stack->n;
    }
    return has_more;
}

static void sort_by_pcs(const struct profile_builder *b, struct sort_row *rows, size_t n)
{
    uint32_t *ranks = rank_pcs(&b->pcs);
    struct pc_ranks pcs = {b->profile.stacks, ranks, count_bits(b->pcs.n)};

    sort_rows(b->profile.n_threads, rows, n, next_pcs, &pcs);
    memory_release(ranks);
}

/* The key before those of the PCs. It has the epoch and the end: samples that differ in
 * nothing else would be in the order of the input. */
enum { END_BITS = 4 };

static uint64_t first_key(const struct profile_builder *b, uint32_t labels,
                          const struct profile_stack *stack)
{
    if (!b->has_epochs && !b->has_ends)
        return labels;
    return (uint64_t)labels << 32 | (uint32_t)stack->epoch << END_BITS | stack->end;
}

/* All samples but those whose values are all zero, by labels and then by PCs. */
static size_t sort_samples(const struct profile_builder *b, struct sort_row *rows)
{
    const struct profile *p = &b->profile;
    uint32_t *labels = rank_labels(p);
    size_t n = 0;

    for (size_t i = 0; i < p->n_samples; i++) {
        const struct profile_stack *stack = &p->stacks[p->samples[i].stack];

        if (!profile_has_values(p, i))
            continue;
        rows[n++] = (struct sort_row){first_key(b, labels[p->samples[i].labels], stack),
                                      p->samples[i].stack, (uint32_t)i};
    }
    memory_release(labels);
    if (b->is_any_order)
        sort_rows(1, rows, n, NULL, NULL);
    else
        sort_by_pcs(b, rows, n);
    return n;
}

static void apply_order(struct profile_builder *b, const struct sort_row *rows, size_t n)
{
    struct profile *p = &b->profile;
    struct profile_sample *samples =
        (struct profile_sample *)memory_reserve(n * sizeof(*samples));
    int64_t *values;

    for (size_t i = 0; i < n; i++) {
        moments_note(&b->moments, p->n_samples, rows[i].item, i);
        samples[i] = p->samples[rows[i].item];
    }
    memory_release(p->samples);
    p->samples = samples;
    values = (int64_t *)memory_reserve(n * p->n_types * sizeof(*values));
    for (size_t i = 0; i < n; i++)
        memcpy(values + i * p->n_types, p->values + (size_t)rows[i].item * p->n_types,
               p->n_types * sizeof(*values));
    memory_release(p->values);
    p->values = values;
    profile_builder_keep_first(b, n);
}

static void order_samples(struct profile_builder *b)
{
    struct sort_row *rows =
        (struct sort_row *)memory_reserve(b->profile.n_samples * sizeof(*rows));
    size_t n = sort_samples(b, rows);

    apply_order(b, rows, n);
    memory_release(rows);
}

/* Frees what only adding needs. */
static void free_tables(struct profile_builder *b)
{
    table_free(&b->sample_table);
    stack_table_free(&b->stack_table);
    pc_set_forget(&b->pcs);
    table_free(&b->label_table);
}

void profile_builder_sort(struct profile_builder *b)
{
    profile_builder_settle(b);
    find_processes(b);
    profile_builder_settle(b);
    moments_start(&b->moments, b->profile.n_samples);
    free_tables(b);
    if (b->is_any_order && b->is_any_order_of_labels)
        profile_builder_drop_empty(b);
    else
        order_samples(b);
}
