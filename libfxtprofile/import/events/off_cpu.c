/* SPDX-License-Identifier: BSD-2-Clause */
/* See off_cpu.h. */
#include "off_cpu.h"

#include <fxt/format.h>

#include "common/base/memory.h"

void off_cpu_take(struct sched_traces *traces, const struct fxt_record *record)
{
    struct sched_trace *trace = traces->all[traces->n - 1];
    struct sched_event event;

    if (record->unknown)
        return;
    if (record->type == FXT_RECORD_METADATA) {
        trace->is_cut |= record->kind == FXT_METADATA_PROVIDER_EVENT &&
                         record->metadata.event == FXT_PROVIDER_BUFFER_FULL;
        /* An archive may follow another one in a file. */
        if (record->kind == FXT_METADATA_TRACE_INFO && trace->log.n_added > 0)
            sched_traces_start_stream(traces, true);
        return;
    }
    if (sched_event_from_record(record, &event) == SCHED_EVENT_TAKEN)
        sched_log_add(&trace->log, event);
}

/* ---- The end ----------------------------------------------------------------------- */

struct replay {
    struct sched_states states;
    const struct off_cpu_output *output;
    bool is_followed;
    /* By the numbers of threads, when their last run has ended, plus one; 0 once what
     * follows it was found. */
    uint64_t *run_ends;
    size_t n_run_ends;
    size_t run_end_capacity;
};

static uint64_t *find_run_end(struct replay *r, uint32_t thread)
{
    while (r->n_run_ends <= thread) {
        MEMORY_ADD(r->run_ends, r->n_run_ends, r->run_end_capacity, 0);
    }
    return &r->run_ends[thread];
}

static void take_wait(void *context, const struct sched_wait *wait)
{
    struct replay *r = (struct replay *)context;
    uint64_t koid = r->states.threads[wait->thread].koid;
    uint64_t *run_end = find_run_end(r, wait->thread);
    struct sched_wait rest = *wait;
    bool follows_run = *run_end == wait->from_ns + 1;

    *run_end = 0;
    r->output->on_wait(r->output->context, koid, wait, follows_run);
    if (!wait->is_open || !r->is_followed)
        return;
    rest.kind = SCHED_UNKNOWN;
    rest.from_ns = rest.to_ns;
    r->output->on_wait(r->output->context, koid, &rest, false);
}

static void take_run(void *context, const struct sched_run *run)
{
    struct replay *r = (struct replay *)context;
    uint64_t koid = 0;

    if (run->state == SCHED_CPU_BUSY) {
        koid = r->states.threads[run->thread].koid;
        *find_run_end(r, run->thread) = run->to_ns + 1;
    }
    r->output->on_run(r->output->context, koid, run);
}

static void take_event(void *context, const struct sched_event *event)
{
    sched_states_take((struct sched_states *)context, event);
}

void off_cpu_finish(struct sched_traces *traces, const struct off_cpu_output *output)
{
    struct replay r = {.output = output};

    r.states.on_run = take_run;
    r.states.on_wait = take_wait;
    r.states.context = &r;
    for (size_t i = 0; i < traces->n; i++) {
        r.is_followed = i + 1 < traces->n;
        sched_log_replay(&traces->all[i]->log, take_event, &r.states);
        sched_states_end(&r.states, traces->all[i]->is_cut);
    }
    sched_states_free(&r.states);
    memory_release(r.run_ends);
}
