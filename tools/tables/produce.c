/* SPDX-License-Identifier: BSD-2-Clause */
/* See produce.h. */
#include "produce.h"

#include <assert.h>

#include "producer.h"
#include "strings.h"

void tables_choose_options(struct fxt_profile_options *options)
{
    options->keep_events = true;
    /* Functions are called what their source calls them. */
    options->plain_names = true;
    options->show_cuts = false;
}

/* ---- Cells ------------------------------------------------------------------------- */

static int64_t clamp(uint64_t ns)
{
    return ns < INT64_MAX ? (int64_t)ns : INT64_MAX;
}

struct cell cell_time(const struct producer *p, uint64_t clock_ns)
{
    uint64_t ns;

    if (!p->has_wall_clock)
        return cell_int(clamp(clock_ns));
    if (clock_ns < p->clock_ns) {
        ns = p->clock_ns - clock_ns;
        return cell_int(ns < p->wall_ns ? clamp(p->wall_ns - ns) : 0);
    }
    if (__builtin_add_overflow(p->wall_ns, clock_ns - p->clock_ns, &ns))
        ns = UINT64_MAX;
    return cell_int(clamp(ns));
}

struct cell cell_string(struct producer *p, struct fxt_string string)
{
    struct string valid;

    assert(p->n_strings < CELL_STRINGS_MAX);
    valid = strings_valid(string, &p->strings[p->n_strings++]);
    return cell_bytes(valid.data, valid.size);
}

struct cell cell_name(struct producer *p, struct fxt_string string)
{
    return string.size > 0 ? cell_string(p, string) : cell_null();
}

/* ---- Rows -------------------------------------------------------------------------- */

void producer_row(struct producer *p, enum schema_table table, const struct cell *cells,
                  size_t n_cells)
{
    const struct table_info *info = &schema_tables[table];

    assert(n_cells == info->n_columns);
    (void)n_cells;
    p->n_strings = 0;
    if (!p->has_failed)
        p->has_failed = !p->sink->row(p->sink->context, info, cells);
}

typedef void produce_fn(struct producer *producer);

static void produce_table(struct producer *p, enum schema_table table)
{
    static produce_fn *const functions[SCHEMA_TABLES] = {
        [SCHEMA_META] = produce_meta,         [SCHEMA_LOSS] = produce_losses,
        [SCHEMA_PROCESS] = produce_processes, [SCHEMA_THREAD] = produce_threads,
        [SCHEMA_FRAME] = produce_frames,      [SCHEMA_STACK] = produce_stacks,
        [SCHEMA_SAMPLE] = produce_samples,    [SCHEMA_SLICE] = produce_slices,
        [SCHEMA_INSTANT] = produce_instants,  [SCHEMA_ASYNC] = produce_async,
        [SCHEMA_FLOW] = produce_flows,        [SCHEMA_COUNTER] = produce_counters,
        [SCHEMA_ARGS] = produce_args,         [SCHEMA_SCHED] = produce_sched,
    };
    const struct table_info *info = &schema_tables[table];

    if (!p->has_failed)
        p->has_failed = !p->sink->begin_table(p->sink->context, info);
    if (!p->has_failed)
        functions[table](p);
    if (!p->has_failed)
        p->has_failed = !p->sink->end_table(p->sink->context, info);
}

bool tables_produce(const struct fxt_profile *profile, const struct table_sink *sink)
{
    struct producer p = {.profile = profile, .sink = sink};

    p.has_wall_clock = fxt_profile_wall_clock(profile, &p.clock_ns, &p.wall_ns);
    thread_ids_make(&p.threads, profile);
    stack_ids_make(&p.stacks, profile);
    for (int table = 0; table < SCHEMA_TABLES; table++)
        produce_table(&p, (enum schema_table)table);
    return !p.has_failed;
}
