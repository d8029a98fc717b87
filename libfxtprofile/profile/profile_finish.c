/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of adding to a profile: samples go to their processes, and into an order. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "profile.h"

void profile_relabel(struct profile *p, uint32_t sample,
                     const struct profile_labels *labels, uint32_t epoch,
                     const int64_t *values)
{
    for (uint32_t i = 0; i < p->n_types; i++)
        p->values[(size_t)sample * p->n_types + i] -= values[i];
    profile_add_again(p, p, sample, labels, epoch, values);
    p->has_epochs |= epoch > 0;
    p->may_have_equals |= epoch > 0;
}

/* Counts a sample again, as one of another process, and no more where it was. */
static void move_sample(struct profile *p, size_t sample, uint64_t process)
{
    struct profile_labels labels = p->labels[p->samples[sample].labels];
    int64_t values[PROFILE_TYPES_MAX];

    labels.process = process;
    memcpy(values, p->values + sample * p->n_types, p->n_types * sizeof(*values));
    memset(p->values + sample * p->n_types, 0, p->n_types * sizeof(*values));
    profile_add_again(p, p, sample, &labels, 0, values);
}

static void find_processes(struct profile *p)
{
    size_t n = p->n_samples;

    for (size_t i = 0; i < n; i++) {
        const struct profile_labels *labels = &p->labels[p->samples[i].labels];
        uint64_t process = koid_names_process(&p->who, labels->thread);

        if (labels->process == 0 && process != 0)
            move_sample(p, i, process);
    }
}

/* ---- The order of samples ---------------------------------------------------------- */

int profile_order_labels(const struct profile_labels *a, const struct profile_labels *b)
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
    return order_numbers(a->tag, b->tag);
}

/* Labels that are ranked, and their number. */
struct ranked {
    const struct profile_labels *labels;
    uint32_t number;
};

static int order_ranked(const void *left, const void *right)
{
    return profile_order_labels(((const struct ranked *)left)->labels,
                                ((const struct ranked *)right)->labels);
}

/* The place of each labels among all, from 1 on, for the caller to free. */
static uint32_t *rank_labels(const struct profile *p)
{
    struct ranked *all = (struct ranked *)memory_allocate(p->n_labels * sizeof(*all));
    uint32_t *ranks = (uint32_t *)memory_allocate(p->n_labels * sizeof(*ranks));

    for (uint32_t i = 0; i < p->n_labels; i++)
        all[i] = (struct ranked){&p->labels[i], i};
    qsort(all, p->n_labels, sizeof(*all), order_ranked);
    for (uint32_t i = 0; i < p->n_labels; i++)
        ranks[all[i].number] = i + 1;
    memory_release(all);
    return ranks;
}

static uint32_t *rank_pcs(const struct profile *p)
{
    uint32_t *ranks = (uint32_t *)memory_allocate(p->pcs.n * sizeof(*ranks));
    uint32_t *numbers = pc_set_sort(&p->pcs);

    for (uint32_t i = 0; i < p->pcs.n; i++)
        ranks[numbers[i]] = i + 1;
    memory_release(numbers);
    return ranks;
}

/* What the keys of samples are made of: the ranks of PCs, of so many bits each. */
struct pc_ranks {
    const uint32_t *ranks;
    unsigned bits;
};

/* The ranks of as many PCs as a key has room for, leaf first; zeros after the root. */
static bool next_pcs(const void *context, struct sort_row *row)
{
    const struct pc_ranks *pcs = (const struct pc_ranks *)context;
    bool has_more = row->n > 0;

    row->key = 0;
    for (unsigned used = pcs->bits; used <= 64; used += pcs->bits) {
        row->key <<= pcs->bits;
        if (row->n > 0) {
            row->key |= pcs->ranks[*row->numbers++];
            row->n--;
        }
    }
    return has_more;
}

static void sort_by_pcs(const struct profile *p, struct sort_row *rows, size_t n)
{
    uint32_t *ranks = rank_pcs(p);

    sort_rows(rows, n, next_pcs, &(struct pc_ranks){ranks, count_bits(p->pcs.n)});
    memory_release(ranks);
}

/* What samples are sorted by before their PCs: by epochs, too, or the input's order would
 * show where only these differ. */
static uint64_t key_of(const struct profile *p, uint32_t labels,
                       const struct profile_stack *stack)
{
    return p->has_epochs ? (uint64_t)labels << 32 | stack->epoch : labels;
}

/* All samples but those whose values are all zero, by labels and then by PCs. */
static size_t sort_samples(const struct profile *p, struct sort_row *rows)
{
    uint32_t *labels = rank_labels(p);
    size_t n = 0;

    for (size_t i = 0; i < p->n_samples; i++) {
        const struct profile_stack *stack = &p->stacks[p->samples[i].stack];

        if (!profile_has_values(p, i))
            continue;
        rows[n++] = (struct sort_row){key_of(p, labels[p->samples[i].labels], stack),
                                      stack->frames, stack->n, (uint32_t)i};
    }
    memory_release(labels);
    if (p->is_any_order)
        sort_rows(rows, n, NULL, NULL);
    else
        sort_by_pcs(p, rows, n);
    return n;
}

static void take_order(struct profile *p, const struct sort_row *rows, size_t n)
{
    struct profile_sample *samples =
        (struct profile_sample *)memory_reserve(n * sizeof(*samples));
    int64_t *values = (int64_t *)memory_reserve(n * p->n_types * sizeof(*values));

    for (size_t i = 0; i < n; i++) {
        samples[i] = p->samples[rows[i].item];
        memcpy(values + i * p->n_types, p->values + (size_t)rows[i].item * p->n_types,
               p->n_types * sizeof(*values));
    }
    memory_release(p->samples);
    memory_release(p->values);
    p->samples = samples;
    p->values = values;
    p->n_samples = n;
}

static void order_samples(struct profile *p)
{
    struct sort_row *rows =
        (struct sort_row *)memory_reserve(p->n_samples * sizeof(*rows));
    size_t n = sort_samples(p, rows);
    take_order(p, rows, n);
    memory_release(rows);
}

static void drop_empty(struct profile *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_samples; i++) {
        if (profile_has_values(p, i))
            profile_move_sample(p, i, n++);
    }
    p->n_samples = n;
}

void profile_finish(struct profile *p)
{
    profile_settle(p);
    find_processes(p);
    profile_settle(p);
    profile_forget(p);
    if (p->is_any_order && p->is_any_order_of_labels)
        drop_empty(p);
    else
        order_samples(p);
}

void profile_forget_names(struct profile *p)
{
    for (size_t i = 0; i < p->n_labels; i++) {
        p->may_have_equals |= p->labels[i].process_name > 0;
        p->may_have_equals |= p->labels[i].thread_name > 0;
        p->labels[i].process_name = 0;
        p->labels[i].thread_name = 0;
    }
}

void profile_set_period(struct profile *p, uint64_t period_ns)
{
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
    p->value_capacity = p->n_samples;
    profile_add_type(p, "cpu", "nanoseconds");
    p->default_type = 1;
    p->period_type = (struct profile_type){"cpu", "nanoseconds"};
    p->period = period_ns;
}
