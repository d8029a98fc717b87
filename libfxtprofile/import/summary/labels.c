/* SPDX-License-Identifier: BSD-2-Clause */
/* See labels.h. */
#include "labels.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/table_items.h"
#include "common/base/sort.h"

/* ---- Times ------------------------------------------------------------------------- */

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* Sorts by one digit, from one array to the other. */
static void sort_by_digit(const uint64_t *from, uint64_t *to, size_t n, unsigned shift)
{
    size_t starts[DIGITS] = {0};
    size_t start = 0;

    for (size_t i = 0; i < n; i++)
        starts[from[i] >> shift & (DIGITS - 1)]++;
    for (size_t i = 0; i < DIGITS; i++) {
        size_t count = starts[i];

        starts[i] = start;
        start += count;
    }
    for (size_t i = 0; i < n; i++)
        to[starts[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

/* Many are sorted by their digits, the lowest first, in time that is linear. `room` has
 * room for as many. */
static void sort_times(uint64_t *times, size_t n, uint64_t *room)
{
    enum { FEW = 1024 };
    uint64_t *from = times;
    uint64_t bits = 0;

    if (n <= FEW) {
        sort_numbers(times, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        bits |= times[i];
    for (unsigned shift = 0; shift < 64 && bits >> shift != 0; shift += DIGIT_BITS) {
        uint64_t *to = from == times ? room : times;

        sort_by_digit(from, to, n, shift);
        from = to;
    }
    if (from != times)
        memcpy(times, from, n * sizeof(*times));
}

/* ---- Labels ------------------------------------------------------------------------ */

uint32_t labels_find(struct labels *labels, uint32_t name, uint32_t category)
{
    struct label label = {.name = name, .category = category};

    return TABLE_PUT(&labels->table, labels->all, labels->n, labels->capacity, &label,
                     name, category);
}

/* ---- The end ----------------------------------------------------------------------- */

static uint64_t *reserve_times(const struct labels *labels)
{
    size_t n = 0;

    for (size_t i = 0; i < labels->n; i++)
        n += labels->all[i].n_events;
    return (uint64_t *)memory_reserve(n * sizeof(uint64_t));
}

void labels_make_room(struct labels *labels, bool has_steps)
{
    uint64_t *times = reserve_times(labels);
    uint64_t *steps = has_steps ? reserve_times(labels) : NULL;
    size_t n = 0;

    for (size_t i = 0; i < labels->n; i++) {
        struct label *label = &labels->all[i];

        label->times.ns = times + n;
        label->steps.ns = has_steps ? steps + n : NULL;
        n += label->n_events;
    }
    labels->times = times;
    labels->steps = steps;
}

static void move_label(struct label *label, const uint32_t *numbers,
                       struct summary_rows *rows, uint64_t *room)
{
    struct summary_row *row = &rows->rows[rows->n++];

    *row = (struct summary_row){.name = numbers[label->name],
                                .category = numbers[label->category],
                                .count = label->count,
                                .n_unfinished = label->n_unfinished,
                                .total_ns = label->total_ns,
                                .self_ns = label->self_ns,
                                .times = label->times.ns,
                                .n_times = label->times.n,
                                .steps = label->steps.ns,
                                .n_steps = label->steps.n};
    sort_times(row->times, row->n_times, room);
    sort_times(row->steps, row->n_steps, room);
}

static size_t most_times(const struct labels *labels)
{
    size_t most = 0;

    for (size_t i = 0; i < labels->n; i++) {
        const struct label *label = &labels->all[i];

        most = label->times.n > most ? label->times.n : most;
        most = label->steps.n > most ? label->steps.n : most;
    }
    return most;
}

void labels_finish(struct labels *labels, const uint32_t *numbers,
                   struct summary_rows *rows)
{
    struct sort_row *order =
        (struct sort_row *)memory_reserve(labels->n * sizeof(*order));
    uint64_t *room = (uint64_t *)memory_reserve(most_times(labels) * sizeof(*room));
    size_t n = 0;

    for (size_t i = 0; i < labels->n; i++) {
        const struct label *label = &labels->all[i];

        if (label->count == 0)
            continue;
        order[n++] = (struct sort_row){.key = (uint64_t)numbers[label->name] << 32 |
                                              numbers[label->category],
                                       .item = (uint32_t)i};
    }
    sort_rows(1, order, n, NULL, NULL);
    rows->rows = (struct summary_row *)memory_reserve(n * sizeof(*rows->rows));
    for (size_t i = 0; i < n; i++)
        move_label(&labels->all[order[i].item], numbers, rows, room);
    rows->times = labels->times;
    rows->steps = labels->steps;
    labels->times = labels->steps = NULL;
    memory_release(order);
    memory_release(room);
}
