/* SPDX-License-Identifier: BSD-2-Clause */
/* See tally.h. */
#include "tally.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/parse.h"

static struct cpu_drops *drops_of_cpu(struct tally *t, size_t cpu)
{
    if (cpu >= t->n_cpus) {
        t->drops_by_cpu =
            memory_reallocate(t->drops_by_cpu, (cpu + 1) * sizeof(*t->drops_by_cpu));
        memset(t->drops_by_cpu + t->n_cpus, 0,
               (cpu + 1 - t->n_cpus) * sizeof(*t->drops_by_cpu));
        t->n_cpus = cpu + 1;
    }
    return &t->drops_by_cpu[cpu];
}

static void add_drops(struct cpu_drops *drops, struct cpu_drops more)
{
    drops->records += more.records;
    drops->bytes += more.bytes;
}

void tally_add_drops(struct tally *t, const struct fxt_sample *sample)
{
    struct cpu_drops drops = {sample->dropped_records, sample->dropped_bytes};

    add_drops(&t->drops, drops);
    if (sample->cpu <= CPU_MAX)
        add_drops(drops_of_cpu(t, sample->cpu), drops);
}

void tally_subtract_filtered(struct tally *t)
{
    t->n_samples -= t->filtered.other_process.n;
    t->n_samples -= t->filtered.other_thread.n;
    t->n_samples -= t->filtered.idle.n;
}

void tally_merge(struct tally *to, const struct tally *from)
{
    to->n_samples += from->n_samples;
    to->n_maybe_cut += from->n_maybe_cut;
    to->n_depth_limit += from->n_depth_limit;
    to->n_twice += from->n_twice;
    to->n_undeclared += from->n_undeclared;
    to->n_other_cpu += from->n_other_cpu;
    to->n_no_cpu += from->n_no_cpu;
    to->n_without_pcs += from->n_without_pcs;
    to->n_other_time += from->n_other_time;
    to->n_late += from->n_late;
    to->n_scheduling += from->n_scheduling;
    to->n_lost_mappings += from->n_lost_mappings;
    add_drops(&to->drops, from->drops);
    for (size_t cpu = 0; cpu < from->n_cpus; cpu++)
        add_drops(drops_of_cpu(to, cpu), from->drops_by_cpu[cpu]);
}
