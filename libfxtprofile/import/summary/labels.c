/* SPDX-License-Identifier: BSD-2-Clause */
/* See labels.h. */
#include "labels.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/sort.h"

/* ---- Times ------------------------------------------------------------------------- */

/* Most names of a trace with many are there once or twice. */
enum { FIRST_TIMES = 2, MOST_TIMES = 2048 };

struct time_chunk {
    struct time_chunk *previous;
    uint32_t n;
    uint32_t capacity;
    uint64_t ns[];
};

static struct time_chunk *add_chunk(struct time_list *list)
{
    uint32_t capacity = list->last != NULL ? 2 * list->last->capacity : FIRST_TIMES;
    struct time_chunk *chunk;

    if (capacity > MOST_TIMES)
        capacity = MOST_TIMES;
    chunk = (struct time_chunk *)memory_reserve(sizeof(*chunk) +
                                                capacity * sizeof(*chunk->ns));
    *chunk = (struct time_chunk){list->last, 0, capacity};
    list->last = chunk;
    return chunk;
}

void time_list_add(struct time_list *list, uint64_t ns)
{
    struct time_chunk *chunk = list->last;

    if (chunk == NULL || chunk->n == chunk->capacity)
        chunk = add_chunk(list);
    chunk->ns[chunk->n++] = ns;
    list->n++;
}

/* Moves the times to an array, and frees the list. */
static void move_times(struct time_list *list, uint64_t *to)
{
    while (list->last != NULL) {
        struct time_chunk *chunk = list->last;

        memcpy(to, chunk->ns, chunk->n * sizeof(*to));
        to += chunk->n;
        list->last = chunk->previous;
        memory_release(chunk);
    }
    list->n = 0;
}

static int order_times(const void *left, const void *right)
{
    return order_numbers(*(const uint64_t *)left, *(const uint64_t *)right);
}

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
        if (n > 1)
            qsort(times, n, sizeof(*times), order_times);
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
    uint64_t hash = hash_word(hash_start(), (uint64_t)name << 32 | category);
    struct table_probe probe = table_probe(&labels->table, hash);
    uint32_t number;

    while (table_next(&labels->table, &probe, &number)) {
        if (labels->all[number].name == name && labels->all[number].category == category)
            return number;
    }
    table_add(&labels->table, hash, labels->n);
    labels->all = (struct label *)memory_grow(labels->all, labels->n, &labels->capacity,
                                              sizeof(*labels->all));
    labels->all[labels->n] = (struct label){.name = name, .category = category};
    return (uint32_t)labels->n++;
}

/* ---- The end ----------------------------------------------------------------------- */

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
                                .n_times = label->times.n,
                                .n_steps = label->steps.n};
    if (label->times.n > 0)
        row->times = (uint64_t *)memory_reserve(label->times.n * sizeof(*row->times));
    if (label->steps.n > 0)
        row->steps = (uint64_t *)memory_reserve(label->steps.n * sizeof(*row->steps));
    move_times(&label->times, row->times);
    move_times(&label->steps, row->steps);
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
    sort_rows(order, n, NULL, NULL);
    rows->rows = (struct summary_row *)memory_reserve(n * sizeof(*rows->rows));
    for (size_t i = 0; i < n; i++)
        move_label(&labels->all[order[i].item], numbers, rows, room);
    memory_release(order);
    memory_release(room);
}

static void free_times(struct time_list *list)
{
    while (list->last != NULL) {
        struct time_chunk *previous = list->last->previous;

        memory_release(list->last);
        list->last = previous;
    }
}

void labels_free(struct labels *labels)
{
    for (size_t i = 0; i < labels->n; i++) {
        free_times(&labels->all[i].times);
        free_times(&labels->all[i].steps);
    }
    memory_release(labels->all);
    table_free(&labels->table);
    *labels = (struct labels){.n = 0};
}
