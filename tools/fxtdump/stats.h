/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What --stats counts: records and bytes by kind, by provider, by event and by region;
 * times; what samplers report as dropped; what threads and CPUs did; and errors. Memory
 * is bounded: what has no room in a table is counted as "others".
 */
#ifndef FXTDUMP_STATS_H
#define FXTDUMP_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "counts.h"
#include "tools/common/filter.h"
#include "tools/common/kinds.h"
#include "print.h"
#include "common/scheduling/sched_times.h"
#include "common/scheduling/thread_names.h"

/* How many events, by category and name, providers, regions and CPUs are counted
 * separately, and how many bytes their names may take. */
enum {
    STATS_EVENTS_MAX = 65536,
    STATS_EVENT_BYTES_MAX = 16 << 20,
    STATS_PROVIDERS_MAX = 4096,
    STATS_PROVIDER_BYTES_MAX = 1 << 20,
    STATS_REGIONS_MAX = 65536,
    STATS_CPUS_MAX = 65536,
    STATS_ENDS_MAX = 64
};

/* Records since the provider or its clock rate may have changed, so that neither needs to
 * be looked at for each of them. */
struct stats_run {
    const struct fxt_provider *provider;
    uint64_t ticks_per_second;
    /* The provider's, in its table. */
    struct count *count;
    uint64_t records;
    uint64_t bytes;
    bool has_time;
    uint64_t first_ticks;
    uint64_t last_ticks;
};

struct stats_region {
    uint64_t number;
    /* The file's name, which is not ours. */
    const char *name;
    struct count count;
    /* How many errors there were. */
    uint64_t errors;
};

/* How often a code was reported with a severity, and how many bytes were skipped. */
struct stats_errors {
    uint64_t count;
    uint64_t skipped;
};

enum { STATS_CODES = 64 };

/* Where the events of a category and a name are in their table. Registered strings keep
 * their address until something else is registered. */
struct stats_names {
    const char *category;
    const char *name;
    uint32_t n_registrations;
    uint32_t entry;
};

enum { STATS_NAMES = 4096 };

struct stats {
    /* The run of records that is only in the counts of kinds so far. */
    struct stats_run run;
    struct count total;
    struct count kinds[KINDS];
    /* By category and name. */
    struct counts events;
    /* The pairs of registered strings seen last, and how many strings were registered so
     * far, modulo 2^32. */
    struct stats_names names[STATS_NAMES];
    uint32_t n_registrations;
    /* By number, as 4 bytes, and name. */
    struct counts providers;
    /* By CPU, as 4 bytes: what samplers report as dropped, and how often they do. */
    struct counts drops;
    /* Samples that say how their stacks ended, by that number, as 4 bytes. */
    struct counts ends;
    /* How many providers said that their buffers had filled up. */
    uint64_t buffer_full;
    /* What threads and CPUs did. */
    struct sched_times scheduling;
    struct thread_names thread_names;
    const struct filter *filter;

    struct stats_region region;
    struct stats_region *regions;
    size_t n_regions;
    size_t regions_capacity;
    bool has_other_regions;
    struct stats_region other_regions;

    struct stats_errors errors[FXT_FATAL + 1][STATS_CODES];
    /* The files that could not be read to their ends. */
    struct stats_errors unreadable;
    uint64_t skipped;
};

/* The filter must stay in place. */
void stats_init(struct stats *stats, const struct filter *filter);

/* A region, or a file that is one, begins and ends. */
void stats_start_region(struct stats *stats, uint64_t number, const char *name);
void stats_end_region(struct stats *stats);

/* The next record, whether it matches the filters or not. */
void stats_record(struct stats *stats, const struct fxt_record *record, bool wanted);

/* A report that costs no record; and something that could not be read. */
void stats_remark(struct stats *stats, const struct fxt_error *error);
void stats_fault(struct stats *stats, const struct fault *fault);

/* A kind of which there were records, and its type as a whole. */
struct stats_row {
    const char *type;
    struct count type_count;
    unsigned kind;
    struct count count;
};

/* Fills in a row for each such kind, those of a type together, the largest first of both,
 * and returns how many; there is room for KINDS of them. */
size_t stats_rows(const struct stats *stats, struct stats_row *rows);

/* The number that is the first string of a provider's or CPU's key. */
uint32_t stats_key_number(const struct counts_entry *entry);

/* Prints it all, after which nothing may be counted any more. */
void stats_print_text(struct text *out, const struct print_context *context,
                      struct stats *stats);
void stats_print_json(struct text *out, struct stats *stats);

/* The parts about scheduling, which print nothing if there were no such records. */
void stats_print_scheduling_text(struct text *out, const struct print_context *context,
                                 struct stats *stats);
void stats_print_scheduling_json(struct text *out, struct stats *stats);

#endif
