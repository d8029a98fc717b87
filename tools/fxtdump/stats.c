/* SPDX-License-Identifier: BSD-2-Clause */
/* See stats.h. Here is the counting. */
#include "stats.h"

#include <string.h>

#include <fxt/sample.h>

#include "common/base/sort.h"
#include "common/scheduling/sched_event.h"

void stats_init(struct stats *stats, const struct filter *filter)
{
    *stats = (struct stats){
        .events = {.max_entries = STATS_EVENTS_MAX,
                   .max_key_bytes = STATS_EVENT_BYTES_MAX},
        .providers = {.max_entries = STATS_PROVIDERS_MAX,
                      .max_key_bytes = STATS_PROVIDER_BYTES_MAX},
        .drops = {.max_entries = STATS_CPUS_MAX,
                  .max_key_bytes = STATS_CPUS_MAX * sizeof(uint32_t)},
        .ends = {.max_entries = STATS_ENDS_MAX,
                 .max_key_bytes = STATS_ENDS_MAX * sizeof(uint32_t)},
        .filter = filter,
    };
}

static struct fxt_string number_key(const uint32_t *number)
{
    return (struct fxt_string){(const char *)number, sizeof(*number), 0};
}

/* ---- Runs -------------------------------------------------------------------------- */

static struct moment moment_of(const struct stats_run *run, uint64_t ticks)
{
    struct moment moment;

    moment.past = !fxt_ticks_to_ns(ticks, run->ticks_per_second, &moment.ns);
    return moment;
}

static void end_run(struct stats *stats)
{
    struct stats_run *run = &stats->run;
    struct count count = {
        .records = run->records,
        .bytes = run->bytes,
        .has_time = run->has_time,
    };

    if (run->records == 0)
        return;
    count.first = moment_of(run, run->first_ticks);
    count.last = moment_of(run, run->last_ticks);
    count_add(run->count, &count);
    count_add(&stats->region.count, &count);
    *run = (struct stats_run){0};
}

static FXT_NOINLINE void start_run(struct stats *stats,
                                   const struct fxt_provider *provider)
{
    struct fxt_string id = number_key(&provider->id);

    end_run(stats);
    stats->run = (struct stats_run){
        .provider = provider,
        .ticks_per_second = provider->ticks_per_second,
        .count = counts_at(&stats->providers, &id, &provider->name),
        .first_ticks = UINT64_MAX,
    };
}

/* ---- Regions ----------------------------------------------------------------------- */

void stats_start_region(struct stats *stats, uint64_t number, const char *name)
{
    stats->region = (struct stats_region){.number = number, .name = name};
}

void stats_end_region(struct stats *stats)
{
    const struct stats_region *region = &stats->region;

    end_run(stats);
    stats->run.provider = NULL;
    count_add(&stats->total, &region->count);
    if (stats->n_regions == STATS_REGIONS_MAX) {
        stats->has_other_regions = true;
        count_add(&stats->other_regions.count, &region->count);
        stats->other_regions.errors += region->errors;
        return;
    }
    MEMORY_ADD(stats->regions, stats->n_regions, stats->regions_capacity, *region);
}

/* ---- Records ----------------------------------------------------------------------- */

static void count_record(struct count *count, uint64_t size)
{
    count->records++;
    count->bytes += size;
}

static FXT_NOINLINE void count_drops(struct stats *stats, const struct fxt_record *record)
{
    static const struct fxt_string nothing = {"", 0, 0};
    struct fxt_sample sample;
    struct fxt_string cpu;
    struct count *count;

    fxt_sample_from_record(record, &sample);
    cpu = number_key(&sample.cpu);
    count = counts_at(&stats->drops, &cpu, &nothing);
    count->times++;
    count->records += sample.dropped_records;
    count->bytes += sample.dropped_bytes;
}

static FXT_NOINLINE void count_end(struct stats *stats, const struct fxt_record *record)
{
    static const struct fxt_string nothing = {"", 0, 0};
    struct fxt_sample sample;
    struct fxt_string end;

    fxt_sample_from_record(record, &sample);
    end = number_key(&sample.end);
    if (sample.end != FXT_STACK_END_UNKNOWN)
        count_record(counts_at(&stats->ends, &end, &nothing), record->size);
}

static bool is_registered(const struct fxt_string *string)
{
    return string->data != NULL && string->ref != FXT_STRING_REF_EMPTY &&
           (string->ref & FXT_STRING_REF_INLINE) == 0;
}

static struct count *event_count(struct stats *stats, const struct fxt_event *event)
{
    const struct fxt_string *category = &event->category;
    const struct fxt_string *name = &event->name;
    uint32_t n_registrations = stats->n_registrations;
    struct stats_names *names;
    struct count *count;

    if (!is_registered(category) || !is_registered(name))
        return counts_at(&stats->events, category, name);
    names = &stats->names[name->ref % STATS_NAMES];
    if (names->category == category->data && names->name == name->data &&
        names->n_registrations == n_registrations)
        return &stats->events.entries[names->entry].count;
    count = counts_at(&stats->events, category, name);
    if (count != &stats->events.others)
        *names = (struct stats_names){category->data, name->data, n_registrations,
                                      counts_index(&stats->events, count)};
    return count;
}

/* What only some types have. */
static FXT_NOINLINE void count_particulars(struct stats *stats,
                                           const struct fxt_record *record, unsigned kind)
{
    if (record->type == FXT_RECORD_EVENT)
        count_record(event_count(stats, &record->event), record->size);
    if (kind == KIND_DROP_STATS)
        count_drops(stats, record);
    if (kind == KIND_SAMPLE)
        count_end(stats, record);
    if (record->type == FXT_RECORD_METADATA &&
        record->kind == FXT_METADATA_PROVIDER_EVENT &&
        record->metadata.event == FXT_PROVIDER_BUFFER_FULL)
        stats->buffer_full++;
}

/* Most records are samples or events, which have nothing to do with scheduling. */
static bool may_be_scheduling(const struct fxt_record *record)
{
    switch (record->type) {
    case FXT_RECORD_EVENT:
        return sched_event_may_be_drops(record);
    case FXT_RECORD_METADATA:
    case FXT_RECORD_KERNEL_OBJECT:
    case FXT_RECORD_SCHEDULING:
        return true;
    case FXT_RECORD_LARGE:
        return sched_event_is_waiting(record);
    default:
        return false;
    }
}

/* Threads are chosen among those that are shown, since the records of all are needed to
 * know what one of them did; and so are names and reports of dropped records. */
static void take_scheduling(struct stats *stats, const struct fxt_record *record)
{
    if ((record->type == FXT_RECORD_SCHEDULING || record->type == FXT_RECORD_LARGE) &&
        stats->filter->is_set && !filter_matches_any_thread(stats->filter, record))
        return;
    sched_times_take(&stats->scheduling, record);
    thread_names_take(&stats->thread_names, record);
}

void stats_record(struct stats *stats, const struct fxt_record *record, bool wanted)
{
    struct stats_run *run = &stats->run;
    unsigned kind;
    uint64_t ticks;

    if (record->type == FXT_RECORD_STRING)
        stats->n_registrations++;
    if (record->provider != run->provider || record->type <= FXT_RECORD_INITIALIZATION)
        start_run(stats, record->provider);
    if (may_be_scheduling(record))
        take_scheduling(stats, record);
    if (!wanted)
        return;
    kind = kind_of(record);
    count_record(&stats->kinds[kind], record->size);
    run->records++;
    run->bytes += record->size;
    if (fxt_record_time(record, &ticks)) {
        run->has_time = true;
        run->first_ticks = ticks < run->first_ticks ? ticks : run->first_ticks;
        run->last_ticks = ticks > run->last_ticks ? ticks : run->last_ticks;
    }
    if (record->type == FXT_RECORD_EVENT || record->type == FXT_RECORD_METADATA ||
        (kind == KIND_SAMPLE && record->n_args > 0))
        count_particulars(stats, record, kind);
}

/* ---- Errors ------------------------------------------------------------------------ */

static void count_error(struct stats *stats, const struct fxt_error *error,
                        uint64_t skipped)
{
    struct stats_errors *errors = &stats->errors[error->severity][error->code];

    errors->count++;
    errors->skipped += skipped;
}

void stats_remark(struct stats *stats, const struct fxt_error *error)
{
    count_error(stats, error, error->skipped);
}

void stats_fault(struct stats *stats, const struct fault *fault)
{
    stats->region.errors++;
    stats->skipped += fault->size;
    if (fault->error != NULL)
        count_error(stats, fault->error, fault->size);
    else
        stats->unreadable.count++;
}

/* ---- Results ----------------------------------------------------------------------- */

uint32_t stats_key_number(const struct counts_entry *entry)
{
    uint32_t number;

    memcpy(&number, entry->first.data, sizeof(number));
    return number;
}

SORT_ORDER(order_rows, struct stats_row,
           BY_DESCENDING(type_count.bytes) || BY_ORDER(strcmp(a->type, b->type)) ||
               BY_DESCENDING(count.bytes) || BY(kind));

static struct count count_type(const struct stats *stats, const char *type)
{
    struct count count = {0};

    for (unsigned kind = 0; kind < KINDS; kind++) {
        if (strcmp(kind_type(kind), type) == 0)
            count_add(&count, &stats->kinds[kind]);
    }
    return count;
}

size_t stats_rows(const struct stats *stats, struct stats_row *rows)
{
    size_t n = 0;

    for (unsigned kind = 0; kind < KINDS; kind++) {
        const char *type = kind_type(kind);

        if (stats->kinds[kind].records > 0)
            rows[n++] = (struct stats_row){type, count_type(stats, type), kind,
                                           stats->kinds[kind]};
    }
    SORT(rows, n, order_rows);
    return n;
}
