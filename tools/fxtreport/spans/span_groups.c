/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See span_set.h: groups. Each span gets the number of its group; then those of a group
 * are brought together, where they stay in the order of their durations.
 */

#include <fxt/format.h>

#include "common/base/memory.h"
#include "common/base/sort.h"
#include "common/base/table.h"
#include "span_set.h"

struct grouping {
    const struct span_set *set;
    struct span_groups *to;
    size_t capacity;
    /* Of each span of the set. */
    uint32_t *numbers;
};

static uint32_t add_group(struct grouping *g, uint32_t index, uint32_t arg)
{
    struct span_groups *to = g->to;

    MEMORY_ADD(to->groups, to->n, g->capacity,
               (struct span_group){.index = index, .arg = arg});
    return (uint32_t)(to->n - 1);
}

SORT_ORDER(order_groups, struct span_group,
           BY_DESCENDING(numbers.total_ns) || BY_DESCENDING(numbers.count) || BY(index));

static void start_grouping(struct grouping *g, struct span_groups *to,
                           const struct span_set *set)
{
    *to = (struct span_groups){.n = 0};
    *g = (struct grouping){.set = set, .to = to};
    g->numbers = (uint32_t *)memory_reserve(set->n * sizeof(*g->numbers));
}

static void end_grouping(struct grouping *g)
{
    const struct span_set *set = g->set;
    struct span_instance *spans =
        (struct span_instance *)memory_reserve(set->n * sizeof(*spans));
    size_t *ends = memory_allocate((g->to->n + 1) * sizeof(*ends));
    size_t start = 0;

    for (size_t i = 0; i < set->n; i++)
        ends[g->numbers[i] + 1]++;
    for (size_t i = 0; i < g->to->n; i++)
        ends[i + 1] += ends[i];
    /* Of each group where its next span goes, which in the end is where it ends. */
    for (size_t i = 0; i < set->n; i++)
        spans[ends[g->numbers[i]]++] = set->all[i];
    for (size_t i = 0; i < g->to->n; i++) {
        span_numbers_make(&g->to->groups[i].numbers, spans + start, ends[i] - start);
        start = ends[i];
    }
    SORT(g->to->groups, g->to->n, order_groups);
    memory_release(ends);
    memory_release(spans);
    memory_release(g->numbers);
}

void span_groups_by_thread(struct span_groups *to, const struct span_set *set)
{
    size_t n_threads = fxt_profile_n_event_threads(set->profile);
    /* By the index of a thread, its group and one. */
    uint32_t *numbers = memory_allocate(n_threads * sizeof(*numbers));
    struct grouping g;

    start_grouping(&g, to, set);
    for (size_t i = 0; i < set->n; i++) {
        struct fxt_profile_event event;

        fxt_profile_get_event(set->profile, set->all[i].event, &event);
        if (numbers[event.thread] == 0)
            numbers[event.thread] = add_group(&g, event.thread, 0) + 1;
        g.numbers[i] = numbers[event.thread] - 1;
    }
    end_grouping(&g);
    memory_release(numbers);
}

/* ---- Arguments --------------------------------------------------------------------- */

/* What makes arguments equal. */
struct value {
    uint32_t type;
    uint64_t number;
    const char *data;
    size_t size;
};

/* Types whose values are the same numbers have one type. */
static struct value value_of(const struct fxt_profile_event_arg *arg)
{
    struct value value = {arg->type, arg->number, arg->string.data, arg->string.size};

    if (arg->type == FXT_ARG_INT32 || arg->type == FXT_ARG_INT64)
        value.type = (int64_t)arg->number < 0 ? FXT_ARG_INT64 : FXT_ARG_UINT64;
    else if (arg->type == FXT_ARG_UINT32)
        value.type = FXT_ARG_UINT64;
    return value;
}

static bool is_equal(struct value a, struct value b)
{
    return a.type == b.type && a.number == b.number && a.data == b.data &&
           a.size == b.size;
}

/* The last argument with that name; FXT_PROFILE_NONE where there is none. */
static uint32_t find_arg(const struct fxt_profile *profile, uint32_t event,
                         uint32_t n_args, const char *name,
                         struct fxt_profile_event_arg *arg)
{
    for (uint32_t i = n_args; i-- > 0;) {
        fxt_profile_get_event_arg(profile, event, i, arg);
        if (fxt_string_is(arg->name, name))
            return i;
    }
    *arg = (struct fxt_profile_event_arg){.number = 0};
    return FXT_PROFILE_NONE;
}

static uint32_t find_group(struct grouping *g, struct table *table, uint32_t event,
                           uint32_t number, const struct fxt_profile_event_arg *arg)
{
    struct value value = value_of(arg);
    uint64_t hash = hash_word(hash_word(hash_start(), value.type), value.number);
    struct table_probe probe;
    uint32_t found;

    hash = hash_word(hash_word(hash, (uintptr_t)value.data), value.size);
    probe = table_probe(table, hash);
    while (table_next(table, &probe, &found)) {
        const struct span_group *group = &g->to->groups[found];
        struct fxt_profile_event_arg other = {.number = 0};

        if (group->arg != FXT_PROFILE_NONE)
            fxt_profile_get_event_arg(g->set->profile, group->index, group->arg, &other);
        if ((group->arg == FXT_PROFILE_NONE) == (number == FXT_PROFILE_NONE) &&
            is_equal(value, value_of(&other)))
            return found;
    }
    table_add(table, hash, g->to->n);
    return add_group(g, event, number);
}

void span_groups_by_arg(struct span_groups *to, const struct span_set *set,
                        const char *name)
{
    struct table table = {.n_slots = 0};
    struct grouping g;

    start_grouping(&g, to, set);
    for (size_t i = 0; i < set->n; i++) {
        struct fxt_profile_event_arg arg;
        struct fxt_profile_event event;
        uint32_t number;

        fxt_profile_get_event(set->profile, set->all[i].event, &event);
        number = find_arg(set->profile, set->all[i].event, event.n_args, name, &arg);
        g.numbers[i] = find_group(&g, &table, set->all[i].event, number, &arg);
    }
    end_grouping(&g);
    table_free(&table);
}
