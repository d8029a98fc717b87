/* SPDX-License-Identifier: BSD-2-Clause */
/* See span_set.h: which spans there are. */
#include "span_set.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/sort.h"
#include "tools/fxtreport/order.h"
#include "common/base/table.h"
#include "common/base/text.h"

/* ---- Names ------------------------------------------------------------------------- */

/* All names of spans so far, with whether they match: an expression is tried once for
 * each. Equal strings have equal pointers. */
struct known_name {
    struct span_name name;
    bool matches;
};

struct known_names {
    const regex_t *expression;
    struct table table;
    struct known_name *all;
    size_t n;
    size_t capacity;
    struct text text;
};

static bool is_same(const struct known_name *known, const struct fxt_profile_event *event)
{
    return known->name.name.data == event->name.data &&
           known->name.name.size == event->name.size &&
           known->name.category.data == event->category.data &&
           known->name.category.size == event->category.size;
}

static bool does_match(struct known_names *names, struct fxt_string name)
{
    names->text.size = 0;
    text_add(&names->text, name.data, name.size);
    text_char(&names->text, '\0');
    return regexec(names->expression, names->text.data, 0, NULL, 0) == 0;
}

static struct known_name *find_name(struct known_names *names,
                                    const struct fxt_profile_event *event)
{
    uint64_t hash = hash_word(hash_start(), (uintptr_t)event->name.data);
    struct table_probe probe;
    uint32_t number;

    hash = hash_word(hash_word(hash, event->name.size), (uintptr_t)event->category.data);
    probe = table_probe(&names->table, hash);
    while (table_next(&names->table, &probe, &number)) {
        if (is_same(&names->all[number], event))
            return &names->all[number];
    }
    table_add(&names->table, hash, names->n);
    MEMORY_ADD(names->all, names->n, names->capacity,
               (struct known_name){{event->name, event->category, 0},
                                   does_match(names, event->name)});
    return &names->all[names->n - 1];
}

SORT_ORDER(order_names, struct span_name,
           BY_DESCENDING(count) || BY_ORDER(order_strings(a->name, b->name)) ||
               BY_ORDER(order_strings(a->category, b->category)));

static void take_names(struct span_set *set, const struct known_names *names)
{
    set->names = memory_allocate(names->n * sizeof(*set->names));
    for (size_t i = 0; i < names->n; i++) {
        if (names->all[i].matches)
            set->names[set->n_names++] = names->all[i].name;
    }
    SORT(set->names, set->n_names, order_names);
}

/* ---- Numbers ----------------------------------------------------------------------- */

/* `percent` of all do not exceed it: the one of that rank, rounded up. */
static uint64_t find_percentile(const struct span_instance *spans, size_t n,
                                unsigned percent)
{
    size_t rank = n / 100 * percent + (n % 100 * percent + 99) / 100;

    return spans[rank > 0 ? rank - 1 : 0].ns;
}

void span_numbers_make(struct span_numbers *to, const struct span_instance *spans,
                       size_t n)
{
    *to = (struct span_numbers){.count = n};
    for (size_t i = 0; i < n; i++)
        to->total_ns = span_sum(to->total_ns, spans[i].ns);
    if (n == 0)
        return;
    to->min_ns = spans[0].ns;
    to->p50_ns = find_percentile(spans, n, 50);
    to->p90_ns = find_percentile(spans, n, 90);
    to->p99_ns = find_percentile(spans, n, 99);
    to->max_ns = spans[n - 1].ns;
}

/* ---- Spans ------------------------------------------------------------------------- */

SORT_ORDER(order_instances, struct span_instance, BY(ns) || BY_DESCENDING(event));

static void take_spans(struct span_set *set, struct known_names *names)
{
    size_t n_events = fxt_profile_n_events(set->profile);
    size_t capacity = 0;

    for (size_t i = 0; i < n_events; i++) {
        struct fxt_profile_nesting nesting;
        struct fxt_profile_event event;
        struct known_name *name;

        fxt_profile_get_event(set->profile, i, &event);
        if (event.kind != FXT_PROFILE_EVENT_SPAN)
            continue;
        name = find_name(names, &event);
        if (!name->matches)
            continue;
        name->name.count++;
        fxt_profile_get_nesting(set->profile, i, &nesting);
        set->self_ns = span_sum(set->self_ns, nesting.self_ns);
        set->n_unfinished += event.is_unfinished;
        MEMORY_ADD(set->all, set->n, capacity,
                   (struct span_instance){event.end_ns - event.time_ns, (uint32_t)i});
    }
}

void span_set_make(struct span_set *set, const struct fxt_profile *profile,
                   const regex_t *expression)
{
    struct known_names names = {.expression = expression};

    *set = (struct span_set){.profile = profile};
    take_spans(set, &names);
    take_names(set, &names);
    SORT(set->all, set->n, order_instances);
    span_numbers_make(&set->numbers, set->all, set->n);
}

uint32_t span_set_find(const struct span_set *set, uint64_t time_ns)
{
    struct fxt_profile_event best = {.time_ns = 0};
    uint32_t found = FXT_PROFILE_NONE;

    for (size_t i = set->n; i-- > 0;) {
        struct fxt_profile_event event;

        fxt_profile_get_event(set->profile, set->all[i].event, &event);
        if (event.time_ns > time_ns || event.end_ns < time_ns ||
            (found != FXT_PROFILE_NONE && event.time_ns <= best.time_ns))
            continue;
        found = set->all[i].event;
        best = event;
    }
    return found;
}
