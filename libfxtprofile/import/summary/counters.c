/* SPDX-License-Identifier: BSD-2-Clause */
/* See counters.h. */
#include "counters.h"

#include "common/base/memory.h"
#include "common/base/table_items.h"
#include "common/base/sort.h"

/* ---- Taking ------------------------------------------------------------------------ */

void counters_add(struct counters *c, const struct counter_series *series,
                  const struct summary_value *value, uint32_t thread)
{
    uint32_t number = TABLE_PUT(&c->table, c->series, c->n_series, c->series_capacity,
                                series, stream, counter.process, counter.id, counter.name,
                                counter.category, counter.series);

    MEMORY_ADD(c->values, c->n, c->capacity,
               (struct counter_value){*value, number, thread});
}

/* ---- The end ----------------------------------------------------------------------- */

SORT_ORDER(order_series, struct counter_series,
           BY(counter.name) || BY(counter.series) || BY(counter.category) ||
               BY(counter.process) || BY(counter.id) || BY(stream));

/* After its series, a value's next key is its time; equal ones stay in the order of the
 * input. */
static bool next_value(const void *context, struct sort_row *rows, size_t n_rows,
                       uint64_t n)
{
    const struct counter_value *values = (const struct counter_value *)context;

    for (size_t i = 0; i < n_rows; i++)
        rows[i].key = n == 0 ? values[rows[i].item].value.time_ns : 0;
    return n == 0;
}

static void move_values(const struct counters *c, struct event_summary *to)
{
    struct sort_row *rows = (struct sort_row *)memory_reserve(c->n * sizeof(*rows));

    to->values = (struct summary_value *)memory_reserve(c->n * sizeof(*to->values));
    for (size_t i = 0; i < c->n; i++)
        rows[i] = (struct sort_row){.key = c->values[i].series, .item = (uint32_t)i};
    sort_rows(1, rows, c->n, next_value, c->values);
    for (size_t i = 0; i < c->n; i++) {
        struct counter_series *series = &c->series[c->values[rows[i].item].series];

        if (series->counter.n++ == 0)
            series->counter.first = i;
        to->values[i] = c->values[rows[i].item].value;
    }
    memory_release(rows);
}

void counters_finish(struct counters *c, const uint32_t *numbers,
                     struct event_summary *to)
{
    move_values(c, to);
    for (size_t i = 0; i < c->n_series; i++) {
        struct summary_counter *counter = &c->series[i].counter;

        counter->name = numbers[counter->name];
        counter->category = numbers[counter->category];
        counter->series = numbers[counter->series];
    }
    SORT(c->series, c->n_series, order_series);
    to->counters =
        (struct summary_counter *)memory_reserve(c->n_series * sizeof(*to->counters));
    for (size_t i = 0; i < c->n_series; i++) {
        if (c->series[i].counter.n > 0)
            to->counters[to->n_counters++] = c->series[i].counter;
    }
    memory_release(c->values);
}
