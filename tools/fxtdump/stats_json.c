/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts as one JSON object, whose keys fxtdump(1) lists. */
#include "json.h"
#include "common/base/quote.h"
#include "tools/common/report.h"
#include "stats.h"

/* The first member's comma makes way for the brace. */
static void open_at(struct text *out, size_t start)
{
    out->data[start] = '{';
}

static void add_separator(struct text *out, bool is_first)
{
    if (!is_first)
        text_char(out, ',');
}

static void add_count(struct text *out, const struct count *count)
{
    json_u64(out, "records", count->records);
    json_u64(out, "bytes", count->bytes);
}

/* A time that passes 64 bits of nanoseconds is null, as elsewhere. */
static void add_time(struct text *out, const char *key, const struct count *count,
                     struct moment time)
{
    if (count->has_time && !time.past)
        json_u64(out, key, time.ns);
    else
        json_null(out, key);
}

static void add_count_and_times(struct text *out, const struct count *count)
{
    add_count(out, count);
    add_time(out, "first_time_ns", count, count->first);
    add_time(out, "last_time_ns", count, count->last);
}

/* ---- Types and kinds --------------------------------------------------------------- */

static void add_kind(struct text *out, const struct stats_row *row)
{
    size_t start = out->size;

    json_enum(out, "kind", kind_name(row->kind), kind_number(row->kind));
    open_at(out, start);
    add_count(out, &row->count);
    text_char(out, '}');
}

static void start_type(struct text *out, const struct stats_row *row)
{
    size_t start = out->size;

    json_word(out, "type", row->type);
    open_at(out, start);
    add_count(out, &row->type_count);
    json_key(out, "kinds");
    text_char(out, '[');
}

static void add_types(struct text *out, const struct stats *stats)
{
    struct stats_row *rows = memory_allocate(KINDS * sizeof(*rows));
    size_t n = stats_rows(stats, rows);

    json_key(out, "types");
    text_char(out, '[');
    for (size_t i = 0; i < n; i++) {
        bool is_first = i == 0 || strcmp(rows[i].type, rows[i - 1].type) != 0;
        bool is_last = i + 1 == n || strcmp(rows[i].type, rows[i + 1].type) != 0;

        add_separator(out, i == 0);
        if (is_first)
            start_type(out, &rows[i]);
        add_kind(out, &rows[i]);
        if (is_last)
            text_str(out, "]}");
    }
    text_char(out, ']');
    memory_release(rows);
}

/* ---- Tables by key ----------------------------------------------------------------- */

struct view {
    const char *key;
    const char *others_key;
    void (*add_key)(struct text *out, const struct counts_entry *entry);
    void (*add_numbers)(struct text *out, const struct count *count);
};

static void add_provider_key(struct text *out, const struct counts_entry *entry)
{
    json_u64(out, "provider_id", stats_key_number(entry));
    json_string(out, "name", &entry->second);
}

static void add_event_key(struct text *out, const struct counts_entry *entry)
{
    json_string(out, "category", &entry->first);
    json_string(out, "name", &entry->second);
}

static void add_cpu_key(struct text *out, const struct counts_entry *entry)
{
    json_u64(out, "cpu", stats_key_number(entry));
}

static void add_drops(struct text *out, const struct count *count)
{
    json_u64(out, "reports", count->times);
    add_count(out, count);
}

static void add_end_key(struct text *out, const struct counts_entry *entry)
{
    uint32_t end = stats_key_number(entry);

    json_enum(out, "end", fxt_stack_end_name(end), end);
}

static const struct view ends_view = {"stack_ends", "other_stack_ends", add_end_key,
                                      add_count};
static const struct view providers_view = {"providers", "other_providers",
                                           add_provider_key, add_count_and_times};
static const struct view events_view = {"events", "other_events", add_event_key,
                                        add_count};
static const struct view drops_view = {"drops", "other_drops", add_cpu_key, add_drops};

static void add_entry(struct text *out, const struct counts_entry *entry,
                      const struct view *view)
{
    size_t start = out->size;

    view->add_key(out, entry);
    open_at(out, start);
    view->add_numbers(out, &entry->count);
    text_char(out, '}');
}

static void add_others(struct text *out, const char *key, const struct count *others,
                       void (*add_numbers)(struct text *out, const struct count *count))
{
    size_t start;

    json_key(out, key);
    start = out->size;
    add_numbers(out, others);
    open_at(out, start);
    text_char(out, '}');
}

static void add_counts(struct text *out, struct counts *counts, const struct view *view)
{
    bool is_first = true;

    counts_sort(counts);
    json_key(out, view->key);
    text_char(out, '[');
    for (size_t i = 0; i < counts->n; i++) {
        const struct counts_entry *entry = &counts->entries[i];

        if (entry->count.records == 0 && entry->count.times == 0)
            continue;
        add_separator(out, is_first);
        add_entry(out, entry, view);
        is_first = false;
    }
    text_char(out, ']');
    add_others(out, view->others_key, &counts->others, view->add_numbers);
}

/* ---- Regions and errors ------------------------------------------------------------ */

static void add_region_counts(struct text *out, const struct stats_region *region)
{
    add_count_and_times(out, &region->count);
    json_u64(out, "errors", region->errors);
    text_char(out, '}');
}

static void add_region(struct text *out, const struct stats_region *region)
{
    size_t start = out->size;

    json_u64(out, "region", region->number);
    open_at(out, start);
    json_key(out, "file");
    quote_json(out, region->name, strlen(region->name));
    add_region_counts(out, region);
}

static void add_regions(struct text *out, const struct stats *stats)
{
    size_t start;

    json_key(out, "regions");
    text_char(out, '[');
    for (size_t i = 0; i < stats->n_regions; i++) {
        add_separator(out, i == 0);
        add_region(out, &stats->regions[i]);
    }
    text_char(out, ']');
    json_key(out, "other_regions");
    start = out->size;
    add_region_counts(out, &stats->other_regions);
    open_at(out, start);
}

static void add_error(struct text *out, const struct stats_errors *errors,
                      const char *severity, const char *code)
{
    size_t start = out->size;

    json_word(out, "code", code);
    open_at(out, start);
    json_word(out, "severity", severity);
    json_u64(out, "reports", errors->count);
    json_u64(out, "skipped_bytes", errors->skipped);
    text_char(out, '}');
}

static void add_errors(struct text *out, const struct stats *stats)
{
    bool is_first = true;

    json_key(out, "errors");
    text_char(out, '[');
    for (int severity = FXT_FATAL; severity >= FXT_NOTE; severity--) {
        for (int code = 0; code < STATS_CODES; code++) {
            const struct stats_errors *errors = &stats->errors[severity][code];

            if (errors->count == 0)
                continue;
            add_separator(out, is_first);
            add_error(out, errors, report_severity((enum fxt_severity)severity),
                      fxt_code_name((enum fxt_code)code));
            is_first = false;
        }
    }
    if (stats->unreadable.count > 0) {
        add_separator(out, is_first);
        add_error(out, &stats->unreadable, report_severity(FXT_ERROR), "unreadable");
    }
    text_char(out, ']');
}

void stats_print_json(struct text *out, struct stats *stats)
{
    size_t start = out->size;

    add_count(out, &stats->total);
    open_at(out, start);
    json_u64(out, "skipped_bytes", stats->skipped);
    add_time(out, "first_time_ns", &stats->total, stats->total.first);
    add_time(out, "last_time_ns", &stats->total, stats->total.last);
    add_types(out, stats);
    add_counts(out, &stats->providers, &providers_view);
    add_regions(out, stats);
    add_counts(out, &stats->events, &events_view);
    add_counts(out, &stats->drops, &drops_view);
    add_counts(out, &stats->ends, &ends_view);
    json_u64(out, "buffer_full", stats->buffer_full);
    add_errors(out, stats);
    stats_print_scheduling_json(out, stats);
    text_str(out, "}\n");
}
