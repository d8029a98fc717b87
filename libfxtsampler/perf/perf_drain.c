/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_drain.h. */
#include "perf_drain.h"

#include <string.h>

#include "perf_merge.h"
#include "perf_record.h"

/* ---- Events ------------------------------------------------------------------------ */

static bool is_event(const struct perf_event_header *record)
{
    return record->type != PERF_RECORD_SAMPLE && record->type != PERF_RECORD_LOST &&
           record->type != PERF_RECORD_THROTTLE;
}

static struct perf_event_id id_of(const struct perf *p,
                                  const struct perf_event_header *record)
{
    return perf_event_ids_find(&p->scope.events.ids, perf_read_id(record));
}

static bool read_event(const struct perf *p, const struct perf_event_header *record,
                       struct fxt_sampler_event *event)
{
    bool has_build_id =
        p->scope.events.attr.build_id != 0 && id_of(p, record).source == PERF_OF_TASK;

    if (!perf_read_event(record, has_build_id, event))
        return false;
    event->time_ns = perf_read_time(record);
    return true;
}

static void report_event(const struct fxt_sampler *sampler,
                         const struct perf_event_header *record)
{
    struct fxt_sampler_event event;

    if (sampler->config.on_event != NULL && is_event(record) &&
        read_event(sampler->state, record, &event))
        sampler->config.on_event(sampler->config.context, &event);
}

static void follow_event(struct perf *p, const struct perf_event_header *record)
{
    struct fxt_sampler_event event;
    pid_t process;
    pid_t thread;

    if (record->type == PERF_RECORD_EXIT && perf_read_exit(record, &process, &thread))
        perf_unwinder_take_exit(p->unwinder, process);
    else if (read_event(p, record, &event))
        perf_unwinder_take_event(p->unwinder, &event);
}

/* What events of CPUs sample, of all processes. */
static void weigh_any(struct perf *p, const struct perf_event_header *record)
{
    struct perf_event_id id;
    struct weights *weights;

    if (record->type != PERF_RECORD_SAMPLE || !p->scope.events.has_tree_samples)
        return;
    id = id_of(p, record);
    if (id.role != PERF_TREE_SAMPLES)
        return;
    weights = &p->taken[id.number].of_cpus;
    weights->n++;
    if ((p->scope.events.attr.sample_type & PERF_SAMPLE_PERIOD) != 0)
        weights->sum += perf_read_period(record);
}

/* Of a child that there is no memory for, nothing will be sampled. */
static bool is_wanted(const struct fxt_sampler *sampler, uint32_t cpu,
                      const struct perf_event_header *record)
{
    struct perf *p = sampler->state;
    struct perf_filter *filter = &p->scope.filter;
    bool takes;

    weigh_any(p, record);
    takes = perf_filter_takes(filter, &p->scope.events, record);

    if (filter->has_failed)
        regions_lose(&regions.all[cpu], &regions.all[cpu].lost, 1);
    filter->has_failed = false;
    return takes;
}

/* ---- While a table is made --------------------------------------------------------- */

/* How long a record may take from when it was made to when it is in its ring. */
enum { HOLD_BACK_NS = 3000000 };

uint64_t perf_settled_time(void)
{
    return regions_now() - HOLD_BACK_NS;
}

static enum perf_taken put_off(void *context, uint32_t cpu,
                               const struct perf_event_header *record)
{
    const struct fxt_sampler *sampler = context;
    struct perf *p = sampler->state;
    struct perf_gap gap = {0, 0};

    if (!is_wanted(sampler, cpu, record))
        return PERF_TAKEN;
    if (record->type == PERF_RECORD_SAMPLE && id_of(p, record).role != PERF_WAKEUPS)
        gap = perf_sample_unused(record, &p->scope.events.attr);
    if (!perf_backlog_add(&p->backlog, cpu, record, gap))
        return PERF_LEFT;
    report_event(sampler, record);
    return PERF_TAKEN;
}

/* Rings must not fill up, and events not wait: a file is opened when the kernel reports
 * it, and may be deleted soon after. */
static void put_off_settled(void *context)
{
    const struct fxt_sampler *sampler = context;
    struct perf *p = sampler->state;

    perf_merge(p->scope.events.rings, p->next_times, regions.n, perf_settled_time(),
               put_off, context);
}

/* ---- Draining ---------------------------------------------------------------------- */

/* A record that is being processed. */
struct taken_record {
    const struct fxt_sampler *sampler;
    uint32_t cpu;
    const struct perf_event_header *record;
    /* It is a copy. */
    bool is_held;
};

/* The record leaves its ring, which others may then leave, too. */
static void hold(struct taken_record *taken)
{
    struct perf *p = taken->sampler->state;

    if (taken->is_held)
        return;
    memcpy(p->held, taken->record, taken->record->size);
    perf_ring_drop(&p->scope.events.rings[taken->cpu], taken->record);
    taken->record = (const struct perf_event_header *)(const void *)p->held;
    taken->is_held = true;
}

/* The sample and its stack are then in the session's. */
static bool unwind(struct taken_record *taken)
{
    struct perf *p = taken->sampler->state;
    const struct perf_event_attr *attr = &p->scope.events.attr;
    struct perf_sample *sample = &p->sample;
    struct perf_stack *stack = &p->stack;
    enum perf_unwound unwound;

    if (!perf_sample_read(taken->record, attr, sample))
        return false;
    while ((unwound = perf_unwinder_unwind(p->unwinder, sample, stack)) ==
           PERF_NEEDS_TABLE) {
        hold(taken);
        perf_sample_read(taken->record, attr, sample);
        perf_unwinder_build(p->unwinder, put_off_settled,
                            (void *)(uintptr_t)taken->sampler);
    }
    if (unwound == PERF_NO_MEMORY)
        return false;
    if (perf_unwinder_has_read_again(p->unwinder))
        tracker_read_code(taken->sampler->tracker, (pid_t)sample->process);
    if (stack->is_first_in_kernel)
        tracker_take_kernel(taken->sampler->tracker, (pid_t)sample->process);
    return true;
}

/* How many events of a source a sample stands for that does not say. */
static uint64_t usual_weight(const struct fxt_sampler *sampler, uint32_t source)
{
    return source_is_clock(&sampler->sources.all[source]) ? sampler->config.period_ns
                                                          : sampler->sources.count;
}

static void count_weight(struct weights *weights, uint64_t weight)
{
    weights->n++;
    weights->sum += weight;
}

static bool take_sample(struct taken_record *taken)
{
    struct perf *p = taken->sampler->state;
    struct perf_event_id id = id_of(p, taken->record);
    uint64_t usual = usual_weight(taken->sampler, id.number);
    bool has_weight = taken->sampler->sources.n > 0 && usual == 0;

    if (!unwind(taken))
        return false;
    regions_write(taken->cpu, &(struct region_sample){
                                  .time = p->sample.time,
                                  .process = p->sample.process,
                                  .thread = p->sample.thread,
                                  .pcs = p->stack.pcs,
                                  .n_pcs = p->stack.n_pcs,
                                  .end = p->stack.end,
                                  .event = id.number,
                                  .weight = has_weight ? p->sample.period : 0,
                              });
    count_weight(&p->taken[id.number].all, has_weight ? p->sample.period : usual);
    if (id.role == PERF_TREE_SAMPLES)
        count_weight(&p->taken[id.number].by_cpus, p->sample.period);
    return true;
}

/* Idle CPUs switch, too, but do not wait. */
static bool take_switch_stack(struct taken_record *taken)
{
    struct perf *p = taken->sampler->state;
    pid_t process = 0;
    pid_t thread = 0;

    if (perf_read_owner(taken->record, &process, &thread) && thread == 0)
        return true;
    if (!unwind(taken))
        return false;
    perf_trace_take_stack(&p->trace, taken->cpu, &p->sample, &p->stack);
    return true;
}

static bool take_sample_of_any(struct taken_record *taken)
{
    struct perf *p = taken->sampler->state;

    switch (id_of(p, taken->record).role) {
    case PERF_SWITCH_STACKS:
        return take_switch_stack(taken);
    case PERF_WAKEUPS:
        perf_trace_take_wakeup(&p->trace, taken->cpu, taken->record,
                               p->scope.filter.has_system);
        return true;
    default:
        return take_sample(taken);
    }
}

static void process(struct taken_record *taken)
{
    struct region *region = &regions.all[taken->cpu];
    struct perf *p = taken->sampler->state;
    uint64_t n_lost;

    if (taken->record->type == PERF_RECORD_SAMPLE) {
        if (!take_sample_of_any(taken))
            regions_lose(region, &region->lost, 1);
    } else if (taken->record->type == PERF_RECORD_LOST) {
        if (perf_read_lost(taken->record, &n_lost)) {
            regions_lose(region, &region->lost, n_lost);
            p->n_lost[taken->cpu] += n_lost;
        }
        perf_unwinder_take_loss(p->unwinder);
        perf_trace_take_loss(&p->trace, taken->cpu);
    } else if (taken->record->type == PERF_RECORD_THROTTLE) {
        regions_count(&region->throttled, 1);
    } else if (taken->record->type == PERF_RECORD_SWITCH ||
               taken->record->type == PERF_RECORD_SWITCH_CPU_WIDE) {
        perf_trace_take_switch(&p->trace, taken->cpu, taken->record);
    } else {
        if (taken->record->type == PERF_RECORD_EXIT)
            perf_trace_take_exit(&p->trace, taken->cpu, taken->record);
        follow_event(p, taken->record);
    }
}

/* How many records are processed until the rings are emptied again. */
enum { RECORDS_A_TURN = 64 };

/* What was put off comes before everything that is still in the rings. They fill up in
 * this time, too: more is put off, but not for longer than it takes to process what there
 * was at first, as others wait for the lock. */
static void process_backlog(const struct fxt_sampler *sampler)
{
    struct perf *p = sampler->state;
    struct taken_record taken = {.sampler = sampler, .is_held = true};
    size_t n_at_first = p->backlog.n;
    size_t n = 0;

    taken.record = (const struct perf_event_header *)(const void *)p->held;
    while (perf_backlog_take(&p->backlog, &taken.cpu, p->held)) {
        process(&taken);
        if (++n < n_at_first && n % RECORDS_A_TURN == 0 && !atomic_load(&p->quit))
            put_off_settled((void *)(uintptr_t)sampler);
    }
}

static enum perf_taken take_record(void *context, uint32_t cpu,
                                   const struct perf_event_header *record)
{
    const struct fxt_sampler *sampler = context;
    struct taken_record taken = {sampler, cpu, record, false};

    if (!is_wanted(sampler, cpu, record))
        return PERF_TAKEN;
    report_event(sampler, record);
    process(&taken);
    if (!taken.is_held)
        return PERF_TAKEN;
    process_backlog(sampler);
    return PERF_TAKEN_OUT;
}

void perf_drain_before(const struct fxt_sampler *sampler, uint64_t before)
{
    struct perf *p = sampler->state;

    perf_merge(p->scope.events.rings, p->next_times, regions.n, before, take_record,
               (void *)(uintptr_t)sampler);
}
