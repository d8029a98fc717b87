/* SPDX-License-Identifier: BSD-2-Clause */
/* See off_cpu.h. */
#include "off_cpu.h"

#include <fxt/format.h>

#include "common/base/memory.h"

void off_cpu_start_stream(struct off_cpu *o, bool is_archive)
{
    if (o->n > 0 && !is_archive && !o->traces[o->n - 1]->is_archive)
        return;
    o->traces = (struct off_cpu_trace **)memory_grow(o->traces, o->n, &o->capacity,
                                                     sizeof(*o->traces));
    o->traces[o->n] = (struct off_cpu_trace *)memory_allocate(sizeof(*o->traces[o->n]));
    o->traces[o->n++]->is_archive = is_archive;
}

void off_cpu_take(struct off_cpu *o, const struct fxt_record *record)
{
    struct off_cpu_trace *trace = o->traces[o->n - 1];
    struct sched_event event;

    if (record->unknown)
        return;
    if (record->type == FXT_RECORD_METADATA) {
        trace->is_cut |= record->kind == FXT_METADATA_PROVIDER_EVENT &&
                         record->metadata.event == FXT_PROVIDER_BUFFER_FULL;
        /* An archive may follow another one in a file. */
        if (record->kind == FXT_METADATA_TRACE_INFO && trace->log.n_added > 0)
            off_cpu_start_stream(o, true);
        return;
    }
    if (sched_event_from_record(record, &event) == SCHED_EVENT_TAKEN)
        sched_log_add(&trace->log, event);
}

/* ---- The end ----------------------------------------------------------------------- */

struct replay {
    struct sched_states states;
    off_cpu_fn *emit;
    void *context;
};

static void take_wait(void *context, const struct sched_wait *wait)
{
    struct replay *r = (struct replay *)context;

    if (wait->kind != SCHED_UNKNOWN)
        r->emit(r->context, r->states.threads[wait->thread].koid, wait);
}

static void ignore_run(void *context, const struct sched_run *run)
{
    (void)context;
    (void)run;
}

static void take_event(void *context, const struct sched_event *event)
{
    sched_states_take((struct sched_states *)context, event);
}

void off_cpu_finish(struct off_cpu *o, off_cpu_fn *emit, void *context)
{
    struct replay r = {.emit = emit, .context = context};

    r.states.on_run = ignore_run;
    r.states.on_wait = take_wait;
    r.states.context = &r;
    for (size_t i = 0; i < o->n; i++) {
        sched_log_replay(&o->traces[i]->log, take_event, &r.states);
        sched_states_end(&r.states, o->traces[i]->is_cut);
    }
    sched_states_free(&r.states);
}

void off_cpu_free(struct off_cpu *o)
{
    for (size_t i = 0; i < o->n; i++) {
        sched_log_free(&o->traces[i]->log);
        memory_release(o->traces[i]);
    }
    memory_release(o->traces);
    *o = (struct off_cpu){.n = 0};
}
