/* SPDX-License-Identifier: BSD-2-Clause */
/* See collect.h. */
#include "collect.h"

#include <stdlib.h>
#include <string.h>

#include <fxt/format.h>

#include "cpu_name.h"

/* ---- Time -------------------------------------------------------------------------- */

static void note_start(struct collect *c, uint64_t start_ns)
{
    if (!c->has_start || start_ns < c->start_ns)
        c->start_ns = start_ns;
    c->has_start = true;
}

/* The wall clock time of a tick, where the provider tells what time it was at another. */
static void note_wall_clock(struct collect *c, const struct fxt_provider *clock,
                            uint64_t ticks)
{
    bool is_later = ticks >= clock->base_ticks;
    uint64_t distance = is_later ? ticks - clock->base_ticks : clock->base_ticks - ticks;
    uint64_t ns;

    if (!fxt_ticks_to_ns(distance, c->rate, &ns))
        return;
    if (is_later && ns <= UINT64_MAX - clock->base_wall_ns)
        note_start(c, clock->base_wall_ns + ns);
    else if (!is_later && ns <= clock->base_wall_ns)
        note_start(c, clock->base_wall_ns - ns);
}

/* Takes the times of one clock into those of all. */
static void stop_clock(struct collect *c)
{
    uint64_t first_ns;
    uint64_t last_ns;

    if (c->clock == NULL)
        return;
    fxt_ticks_to_ns(c->first_ticks, c->rate, &first_ns);
    fxt_ticks_to_ns(c->last_ticks, c->rate, &last_ns);
    if (!c->has_time || first_ns < c->first_ns)
        c->first_ns = first_ns;
    if (!c->has_time || last_ns > c->last_ns)
        c->last_ns = last_ns;
    c->has_time = true;
    if (c->clock->has_base)
        note_wall_clock(c, c->clock, c->first_ticks);
    c->clock = NULL;
}

static void note_time(struct collect *c, const struct fxt_provider *clock, uint64_t ticks)
{
    if (c->clock != clock || c->rate != clock->ticks_per_second) {
        stop_clock(c);
        c->clock = clock;
        c->rate = clock->ticks_per_second;
        c->first_ticks = ticks;
        c->last_ticks = ticks;
        return;
    }
    if (ticks < c->first_ticks)
        c->first_ticks = ticks;
    if (ticks > c->last_ticks)
        c->last_ticks = ticks;
}

/* ---- CPUs -------------------------------------------------------------------------- */

static bool is_wanted(const struct collect *c, uint32_t cpu)
{
    return c->cpus == NULL || (cpu != PROFILE_NO_CPU && cpu_set_has(c->cpus, cpu));
}

/* ---- Samples ----------------------------------------------------------------------- */

/* Counts a sample that is not wanted. */
static void filter(struct collect *c)
{
    if (c->cpu == PROFILE_NO_CPU)
        c->tally.n_no_cpu++;
    else
        c->tally.n_other_cpu++;
}

static void take_stack(struct collect *c, const struct fxt_record *record,
                       const struct fxt_sample *sample)
{
    struct profile_labels labels = {sample->thread.process, sample->thread.thread,
                                    c->cpu};

    if (!is_wanted(c, c->cpu)) {
        filter(c);
        return;
    }
    profile_add(c->profile, &labels, sample->pcs, c->values);
    note_time(c, record->provider, sample->timestamp);
    c->tally.n_samples++;
    c->tally.n_maybe_cut += sample->maybe_cut;
}

static void add_drops(struct cpu_drops *drops, const struct fxt_sample *sample)
{
    drops->records += sample->dropped_records;
    drops->bytes += sample->dropped_bytes;
}

static void take_drops(struct collect *c, const struct fxt_sample *sample)
{
    struct tally *t = &c->tally;

    if (!is_wanted(c, c->cpu != PROFILE_NO_CPU ? c->cpu : sample->cpu))
        return;
    add_drops(&t->drops, sample);
    if (sample->cpu > CPU_MAX)
        return;
    if (sample->cpu >= t->n_cpus) {
        size_t n = sample->cpu + 1;

        t->drops_by_cpu = (struct cpu_drops *)must_resize(t->drops_by_cpu,
                                                          n * sizeof(*t->drops_by_cpu));
        memset(t->drops_by_cpu + t->n_cpus, 0,
               (n - t->n_cpus) * sizeof(*t->drops_by_cpu));
        t->n_cpus = n;
    }
    add_drops(&t->drops_by_cpu[sample->cpu], sample);
}

/* A record of a sampler's that has no PCs, or not whole ones, is no sample to the
 * library; here it is one that cannot be shown. */
static bool is_stack_without_pcs(const struct fxt_record *record)
{
    const struct fxt_large_blob *blob = &record->large_blob;

    if (record->unknown)
        return false;
    if (record->type == FXT_RECORD_PROFILER)
        return record->kind == FXT_PROFILER_BACKTRACE;
    return record->type == FXT_RECORD_LARGE && blob->format == FXT_LARGE_BLOB_METADATA &&
           blob->category.data != NULL && blob->category.size == 0 &&
           blob->name.data != NULL && blob->name.size == 0;
}

/* ---- Names and modules ------------------------------------------------------------- */

static bool is_named(const struct fxt_arg *arg, const char *name)
{
    return arg->name.data != NULL && arg->name.size == strlen(name) &&
           memcmp(arg->name.data, name, arg->name.size) == 0;
}

static void take_object(struct collect *c, const struct fxt_record *record)
{
    const struct fxt_kernel_object *object = &record->kernel_object;
    struct who *who = &c->profile->who;

    if (object->type != FXT_OBJECT_PROCESS && object->type != FXT_OBJECT_THREAD)
        return;
    if (object->name.data != NULL && object->name.size > 0)
        who_add_name(who, object->koid, object->name.data, object->name.size);
    if (object->type != FXT_OBJECT_THREAD)
        return;
    for (uint32_t i = 0; i < record->n_args; i++) {
        if (record->args[i].type == FXT_ARG_KOID && is_named(&record->args[i], "process"))
            who_add_process(who, object->koid, record->args[i].value.koid);
    }
}

static void take_profiler(struct collect *c, const struct fxt_record *record)
{
    if (record->unknown)
        return;
    if (record->kind == FXT_PROFILER_MODULE)
        modules_announce(c->modules, &record->profiler);
    else if (record->kind == FXT_PROFILER_MAPPING &&
             !modules_map(c->modules, &record->profiler))
        c->tally.n_lost_mappings++;
}

/* ---- Records ----------------------------------------------------------------------- */

static void take_other(struct collect *c, const struct fxt_record *record)
{
    if (is_stack_without_pcs(record)) {
        if (is_wanted(c, c->cpu))
            c->tally.n_without_pcs++;
        else
            filter(c);
        return;
    }
    switch (record->type) {
    case FXT_RECORD_METADATA:
        if (c->region_cpu == PROFILE_NO_CPU)
            c->cpu =
                cpu_of_name(record->provider->name.data, record->provider->name.size);
        break;
    case FXT_RECORD_KERNEL_OBJECT:
        take_object(c, record);
        break;
    case FXT_RECORD_PROFILER:
        take_profiler(c, record);
        break;
    default:
        break;
    }
}

enum fxt_sample_kind collect_record(struct collect *c, const struct fxt_record *record)
{
    struct fxt_sample sample;

    switch (fxt_sample_from_record(record, &sample)) {
    case FXT_SAMPLE_STACK:
        take_stack(c, record, &sample);
        break;
    case FXT_SAMPLE_DROPS:
        take_drops(c, &sample);
        break;
    case FXT_SAMPLE_NOT_UNWOUND:
        if (is_wanted(c, c->cpu))
            c->tally.n_not_unwound++;
        else
            filter(c);
        break;
    case FXT_SAMPLE_NONE:
        take_other(c, record);
        break;
    }
    return sample.kind;
}

void collect_start(struct collect *c, uint32_t region_cpu)
{
    c->region_cpu = region_cpu;
    c->cpu = region_cpu;
    modules_start_stream(c->modules);
}

void collect_end(struct collect *c)
{
    stop_clock(c);
}

void collect_free(struct collect *c)
{
    free(c->tally.drops_by_cpu);
}
