/* SPDX-License-Identifier: BSD-2-Clause */
/* See event_rows.h. */
#include "event_rows.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/sort.h"
#include "tools/fxtreport/order.h"

bool event_column_find(const char *word, enum event_column *column)
{
    static const char *const words[] = {
        [EVENT_TOTAL] = "total",      [EVENT_SELF] = "self", [EVENT_COUNT] = "count",
        [EVENT_MIN] = "min",          [EVENT_P50] = "p50",   [EVENT_P90] = "p90",
        [EVENT_P99] = "p99",          [EVENT_MAX] = "max",   [EVENT_NAME] = "name",
        [EVENT_CATEGORY] = "category"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(word, words[i]) == 0) {
            *column = (enum event_column)i;
            return true;
        }
    }
    return false;
}

/* ---- Rows -------------------------------------------------------------------------- */

static uint64_t add_times(uint64_t a, uint64_t b)
{
    return a <= UINT64_MAX - b ? a + b : UINT64_MAX;
}

uint64_t event_percentile(const uint64_t *times, size_t n, unsigned percent)
{
    uint64_t rank = n / 100 * percent + (n % 100 * percent + 99) / 100;

    if (n == 0)
        return 0;
    return times[rank > 0 ? rank - 1 : 0];
}

static void take_row(struct event_rows *rows, struct event_row *row)
{
    const uint64_t *times = row->all.durations_ns;
    size_t n = row->all.n_durations;

    rows->count += row->all.count;
    rows->n_unfinished += row->all.n_unfinished;
    rows->total_ns = add_times(rows->total_ns, row->all.total_ns);
    rows->self_ns = add_times(rows->self_ns, row->all.self_ns);
    if (n == 0)
        return;
    row->min_ns = times[0];
    row->p50_ns = event_percentile(times, n, 50);
    row->p90_ns = event_percentile(times, n, 90);
    row->p99_ns = event_percentile(times, n, 99);
    row->max_ns = times[n - 1];
    rows->min_ns = row->min_ns < rows->min_ns ? row->min_ns : rows->min_ns;
    rows->max_ns = row->max_ns > rows->max_ns ? row->max_ns : rows->max_ns;
}

void event_rows_make(struct event_rows *rows, const struct fxt_profile *profile,
                     enum fxt_profile_summary_kind kind)
{
    *rows = (struct event_rows){.min_ns = UINT64_MAX};
    rows->n = fxt_profile_n_summaries(profile, kind);
    rows->rows = memory_allocate(rows->n * sizeof(*rows->rows));
    for (size_t i = 0; i < rows->n; i++) {
        struct event_row *row = &rows->rows[i];

        fxt_profile_get_summary(profile, kind, i, &row->all);
        take_row(rows, row);
        /* They are in the order of names here. */
        if (i > 0 && order_strings(row[-1].all.name, row->all.name) == 0) {
            row[-1].is_repeated = true;
            row->is_repeated = true;
        }
    }
    if (rows->min_ns > rows->max_ns)
        rows->min_ns = rows->max_ns;
}

/* ---- Sorting ----------------------------------------------------------------------- */

uint64_t event_row_number(const struct event_row *row, enum event_column column)
{
    switch (column) {
    case EVENT_TOTAL:
        return row->all.total_ns;
    case EVENT_SELF:
        return row->all.self_ns;
    case EVENT_COUNT:
        return row->all.count;
    case EVENT_MIN:
        return row->min_ns;
    case EVENT_P50:
        return row->p50_ns;
    case EVENT_P90:
        return row->p90_ns;
    case EVENT_P99:
        return row->p99_ns;
    case EVENT_MAX:
        return row->max_ns;
    case EVENT_NAME:
    case EVENT_CATEGORY:
        break;
    }
    return 0;
}

/* A row with what it is sorted by. */
struct sorted_row {
    uint64_t number;
    const struct fxt_string *string;
    struct event_row row;
    size_t place;
};

static int order_rows(const void *left, const void *right)
{
    const struct sorted_row *a = (const struct sorted_row *)left;
    const struct sorted_row *b = (const struct sorted_row *)right;
    int order = order_numbers(b->number, a->number);

    if (order == 0 && a->string != NULL)
        order = order_strings(*a->string, *b->string);
    return order != 0 ? order : order_numbers(a->place, b->place);
}

void event_rows_sort(struct event_rows *rows, enum event_column column)
{
    struct sorted_row *sorted = memory_allocate(rows->n * sizeof(*sorted));

    for (size_t i = 0; i < rows->n; i++) {
        struct event_row *row = &rows->rows[i];

        sorted[i] = (struct sorted_row){event_row_number(row, column), NULL, *row, i};
        if (column == EVENT_CATEGORY)
            sorted[i].string = &sorted[i].row.all.category;
    }
    if (column != EVENT_NAME)
        SORT(sorted, rows->n, order_rows);
    for (size_t i = 0; i < rows->n; i++)
        rows->rows[i] = sorted[i].row;
    memory_release(sorted);
}

void event_row_name(const struct event_row *row, struct text *text)
{
    text_add(text, row->all.name.data, row->all.name.size);
    if (!row->is_repeated)
        return;
    text_str(text, " (");
    text_add(text, row->all.category.data, row->all.category.size);
    text_char(text, ')');
}

/* ---- Counters ---------------------------------------------------------------------- */

struct counter_numbers counter_numbers_of(const struct fxt_profile_counter *c)
{
    struct counter_numbers n = {c->values[0].value, 0, c->values[0].value,
                                c->values[c->n_values - 1].value};
    double sum = 0;
    double weighted = 0;

    for (size_t i = 0; i < c->n_values; i++) {
        double value = c->values[i].value;

        n.min = value < n.min ? value : n.min;
        n.max = value > n.max ? value : n.max;
        sum += value / (double)c->n_values;
        if (i + 1 < c->n_values)
            weighted += value * (double)(c->values[i + 1].time_ns - c->values[i].time_ns);
    }
    if (c->values[c->n_values - 1].time_ns == c->values[0].time_ns)
        n.mean = sum;
    else
        n.mean = weighted /
                 (double)(c->values[c->n_values - 1].time_ns - c->values[0].time_ns);
    return n;
}
