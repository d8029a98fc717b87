/* SPDX-License-Identifier: BSD-2-Clause */
/* See diff.h. */
#include "diff.h"

#include <math.h>

#include "common/base/memory.h"
#include "common/base/share_change.h"
#include "common/base/sort.h"
#include "common/base/string_table.h"
#include "common/base/text.h"

struct diff_maker {
    struct diff *diff;
    bool by_total;
    struct string_table keys;
    struct text key;
};

static void add_part(struct text *key, const char *data, size_t size)
{
    text_add(key, &size, sizeof(size));
    text_add(key, data, size);
}

static void add_function(struct text *key, const struct measure_row *row)
{
    struct string module = measure_module(row);
    unsigned flags = row->is_unnamed;

    add_part(key, row->name.data, row->name.size);
    add_part(key, module.data, module.size);
    text_add(key, &flags, sizeof(flags));
}

/* What a row is named by, without ambiguity: no two rows of a measure have one key. */
static void make_key(struct text *key, const struct measure_row *row, enum measure_by by)
{
    struct string module = measure_module(row);

    key->size = 0;
    switch (by) {
    case BY_FUNCTION:
        add_function(key, row);
        break;
    case BY_MODULE:
        add_part(key, module.data, module.size);
        break;
    case BY_LINE:
        if (row->file.size == 0 || row->line == 0) {
            add_function(key, row);
            break;
        }
        text_add(key, &row->line, sizeof(row->line));
        add_part(key, row->file.data, row->file.size);
        break;
    case BY_SOURCE:
        add_part(key, row->file.data, row->file.size);
        break;
    case BY_THREAD:
        add_part(key, row->process_name.data, row->process_name.size);
        add_part(key, row->name.data, row->name.size);
        break;
    case BY_PROCESS:
        add_part(key, row->name.data, row->name.size);
        break;
    case BY_CPU:
        text_add(key, &row->number, sizeof(row->number));
        break;
    }
}

static struct diff_row *find_row(struct diff_maker *m, const struct measure_row *row,
                                 enum measure_by by)
{
    struct diff *d = m->diff;
    uint32_t number;

    make_key(&m->key, row, by);
    number = string_table_add(&m->keys, m->key.data, m->key.size);
    if (number == d->n) {
        MEMORY_ADD(d->rows, d->n, d->capacity, (struct diff_row){.row = row});
    }
    return &d->rows[number];
}

static void add_rows(struct diff_maker *m, const struct measure *measure, bool is_after)
{
    for (size_t i = 0; i < measure->n; i++) {
        const struct measure_row *from = &measure->rows[i];
        struct diff_row *row;

        if (!measure_is_seen(from))
            continue;
        row = find_row(m, from, measure->by);
        weight_add(is_after ? &row->after : &row->before,
                   m->by_total ? from->total : from->self);
        if (is_after) {
            row->row = from;
            row->self = from->self;
        }
        *(is_after ? &row->is_there : &row->was_there) = true;
    }
}

/* Those that have changed first, the largest change first. */
static int order_rows(const void *left, const void *right)
{
    const struct diff_row *a = (const struct diff_row *)left;
    const struct diff_row *b = (const struct diff_row *)right;
    double size_a = fabs(a->change) > a->noise ? fabs(a->change) : 0;
    double size_b = fabs(b->change) > b->noise ? fabs(b->change) : 0;

    if (size_a != size_b)
        return size_a < size_b ? 1 : -1;
    return measure_order(a->row, b->row);
}

static void judge_rows(struct diff *d, const struct weight *before,
                       const struct weight *after, bool is_absolute, bool has_noise)
{
    struct share_whole all_before = {(double)before->value, has_noise ? before->n : 0};
    struct share_whole all_after = {(double)after->value, has_noise ? after->n : 0};

    for (size_t i = 0; i < d->n; i++) {
        struct diff_row *row = &d->rows[i];
        struct share_change change = share_change((double)row->before.value, all_before,
                                                  (double)row->after.value, all_after);

        row->before_share = change.before;
        row->after_share = change.after;
        row->change = is_absolute ? (double)row->after.value - (double)row->before.value
                                  : change.difference;
        row->noise = 2 * sqrt(change.variance);
    }
    SORT(d->rows, d->n, order_rows);
    while (d->n_changed < d->n &&
           fabs(d->rows[d->n_changed].change) > d->rows[d->n_changed].noise)
        d->n_changed++;
    for (size_t i = d->n_changed; i < d->n && after->value != 0; i++)
        d->unchanged_share += (double)d->rows[i].self.value / (double)after->value;
}

void diff_make(struct diff *diff, const struct measure *before,
               const struct measure *after, bool by_total, bool is_absolute,
               bool has_noise)
{
    struct diff_maker m = {.diff = diff, .by_total = by_total};

    *diff = (struct diff){.n = 0};
    add_rows(&m, before, false);
    add_rows(&m, after, true);
    judge_rows(diff, &before->all, &after->all, is_absolute, has_noise);
}
