/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts as text: a few lines and then tables, the largest rows first. */
#include "columns.h"
#include "plain.h"
#include "common/base/quote.h"
#include "tools/common/report.h"
#include "stats.h"

static void add_moment(struct text *text, struct moment time)
{
    if (!time.past)
        plain_ns(text, time.ns);
    else
        text_str(text, "past 2^64 ns");
}

static void add_time_cell(struct columns *columns, const struct count *count,
                          struct moment time)
{
    if (count->has_time)
        add_moment(&columns->cells, time);
    else
        text_char(&columns->cells, '-');
    columns_end_cell(columns);
}

static void add_count(struct columns *columns, const struct stats *stats,
                      const struct count *count)
{
    columns_u64(columns, count->records);
    columns_u64(columns, count->bytes);
    columns_share(columns, count->bytes, stats->total.bytes);
}

static void add_count_and_times(struct columns *columns, const struct stats *stats,
                                const struct count *count)
{
    add_count(columns, stats, count);
    add_time_cell(columns, count, count->first);
    add_time_cell(columns, count, count->last);
}

/* What a table had no room for. */
static void add_others(struct columns *columns, size_t limit)
{
    text_printf(&columns->cells, "others, beyond the first %zu", limit);
    columns_end_cell(columns);
}

/* ---- The first lines --------------------------------------------------------------- */

static void add_number(struct text *out, uint64_t number, const char *what)
{
    text_u64(out, number);
    text_char(out, ' ');
    text_str(out, what);
    if (number != 1)
        text_char(out, 's');
}

static void print_total(struct text *out, const struct stats *stats)
{
    const struct count *total = &stats->total;

    add_number(out, total->records, "record");
    text_str(out, ", ");
    add_number(out, total->bytes, "byte");
    text_str(out, "; ");
    add_number(out, stats->skipped, "byte");
    text_str(out, " skipped\n");
    if (stats->buffer_full > 0) {
        text_str(out, "buffers that filled up, as their providers report: ");
        text_u64(out, stats->buffer_full);
        text_char(out, '\n');
    }
    if (!total->has_time)
        return;
    text_str(out, "first at ");
    add_moment(out, total->first);
    text_str(out, ", last at ");
    add_moment(out, total->last);
    if (!total->last.past) {
        text_str(out, ": ");
        plain_ns(out, total->last.ns - total->first.ns);
        text_str(out, " seconds");
    }
    text_char(out, '\n');
}

/* ---- Tables ------------------------------------------------------------------------ */

static void add_kind_name(struct columns *columns, unsigned kind)
{
    const char *name = kind_name(kind);

    text_str(&columns->cells, "  ");
    if (name != NULL)
        text_str(&columns->cells, name);
    else
        text_u64(&columns->cells, kind_number(kind));
    columns_end_cell(columns);
}

/* Whether a kind is the only one of its type and has its name, so that the type's row is
 * sufficient. */
static bool is_only_kind(const struct stats_row *row)
{
    const char *name = kind_name(row->kind);

    return row->count.records == row->type_count.records && name != NULL &&
           strcmp(name, row->type) == 0;
}

static void print_types(struct text *out, const struct print_context *context,
                        const struct stats *stats)
{
    struct stats_row *rows = memory_allocate(KINDS * sizeof(*rows));
    size_t n = stats_rows(stats, rows);
    struct columns columns;

    columns_start(&columns, "records bytes % type");
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || strcmp(rows[i].type, rows[i - 1].type) != 0) {
            add_count(&columns, stats, &rows[i].type_count);
            text_str(&columns.cells, rows[i].type);
            columns_end_cell(&columns);
        }
        if (!is_only_kind(&rows[i])) {
            add_count(&columns, stats, &rows[i].count);
            add_kind_name(&columns, rows[i].kind);
        }
    }
    columns_print(out, context, &columns);
    memory_release(rows);
}

static void add_region(struct columns *columns, const struct stats *stats,
                       const struct stats_region *region)
{
    add_count_and_times(columns, stats, &region->count);
    columns_u64(columns, region->errors);
}

static void print_regions(struct text *out, const struct print_context *context,
                          const struct stats *stats)
{
    struct columns columns;

    columns_start(&columns, "records bytes % first last errors region");
    for (size_t i = 0; i < stats->n_regions; i++) {
        const struct stats_region *region = &stats->regions[i];

        add_region(&columns, stats, region);
        text_u64(&columns.cells, region->number);
        text_str(&columns.cells, ": ");
        quote_text(&columns.cells, region->name, strlen(region->name));
        columns_end_cell(&columns);
    }
    if (stats->has_other_regions) {
        add_region(&columns, stats, &stats->other_regions);
        add_others(&columns, stats->n_regions);
    }
    columns_print(out, context, &columns);
}

/* ---- Tables by key ----------------------------------------------------------------- */

struct view {
    const char *headings;
    void (*add_numbers)(struct columns *columns, const struct stats *stats,
                        const struct count *count);
    void (*add_key)(struct text *text, const struct counts_entry *entry);
};

static bool is_empty(const struct count *count)
{
    return count->records == 0 && count->times == 0;
}

static void print_counts(struct text *out, const struct print_context *context,
                         const struct stats *stats, struct counts *counts,
                         const struct view *view)
{
    struct columns columns;

    if (counts->n == 0)
        return;
    counts_sort(counts);
    columns_start(&columns, view->headings);
    for (size_t i = 0; i < counts->n; i++) {
        const struct counts_entry *entry = &counts->entries[i];

        if (is_empty(&entry->count))
            continue;
        view->add_numbers(&columns, stats, &entry->count);
        view->add_key(&columns.cells, entry);
        columns_end_cell(&columns);
    }
    if (!is_empty(&counts->others)) {
        view->add_numbers(&columns, stats, &counts->others);
        add_others(&columns, counts->n);
    }
    columns_print(out, context, &columns);
}

static void add_provider_key(struct text *text, const struct counts_entry *entry)
{
    text_u64(text, stats_key_number(entry));
    if (entry->second.size > 0)
        plain_quoted(text, &entry->second);
}

static void add_event_key(struct text *text, const struct counts_entry *entry)
{
    plain_key(text, &entry->first, &entry->second);
}

static void add_drops(struct columns *columns, const struct stats *stats,
                      const struct count *count)
{
    (void)stats;
    columns_u64(columns, count->records);
    columns_u64(columns, count->bytes);
    columns_u64(columns, count->times);
}

static void add_cpu_key(struct text *text, const struct counts_entry *entry)
{
    text_u64(text, stats_key_number(entry));
}

static void add_end_key(struct text *text, const struct counts_entry *entry)
{
    const char *name = fxt_stack_end_name(stats_key_number(entry));

    if (name != NULL)
        text_str(text, name);
    else
        text_u64(text, stats_key_number(entry));
}

static const struct view ends_view = {"records bytes % stack_end", add_count,
                                      add_end_key};
static const struct view providers_view = {"records bytes % first last provider",
                                           add_count_and_times, add_provider_key};
static const struct view events_view = {"records bytes % category:name", add_count,
                                        add_event_key};
static const struct view drops_view = {"dropped bytes reports cpu", add_drops,
                                       add_cpu_key};

/* ---- Errors ------------------------------------------------------------------------ */

static void add_errors(struct columns *columns, const struct stats_errors *errors,
                       const char *severity, const char *code, const char *message)
{
    columns_u64(columns, errors->count);
    columns_u64(columns, errors->skipped);
    text_str(&columns->cells, severity);
    columns_end_cell(columns);
    text_str(&columns->cells, code);
    if (message != NULL) {
        text_str(&columns->cells, ": ");
        text_str(&columns->cells, message);
    }
    columns_end_cell(columns);
}

static void print_errors(struct text *out, const struct print_context *context,
                         const struct stats *stats)
{
    struct columns columns;

    columns_start(&columns, "reports skipped severity code");
    for (int severity = FXT_FATAL; severity >= FXT_NOTE; severity--) {
        for (int code = 0; code < STATS_CODES; code++) {
            const struct stats_errors *errors = &stats->errors[severity][code];

            if (errors->count > 0)
                add_errors(&columns, errors, report_severity((enum fxt_severity)severity),
                           fxt_code_name((enum fxt_code)code),
                           fxt_code_message((enum fxt_code)code));
        }
    }
    if (stats->unreadable.count > 0)
        add_errors(&columns, &stats->unreadable, report_severity(FXT_ERROR), "unreadable",
                   NULL);
    columns_print(out, context, &columns);
}

void stats_print_text(struct text *out, const struct print_context *context,
                      struct stats *stats)
{
    print_total(out, stats);
    print_types(out, context, stats);
    print_counts(out, context, stats, &stats->providers, &providers_view);
    if (context->several_regions)
        print_regions(out, context, stats);
    print_counts(out, context, stats, &stats->events, &events_view);
    print_counts(out, context, stats, &stats->drops, &drops_view);
    print_counts(out, context, stats, &stats->ends, &ends_view);
    stats_print_scheduling_text(out, context, stats);
    print_errors(out, context, stats);
}
