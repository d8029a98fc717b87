/* SPDX-License-Identifier: BSD-2-Clause */
/* See waits.h. */
#include "waits.h"

#include <string.h>

#include <fxt/format.h>

#include "common/base/memory.h"
#include "libfxtprofile/import/time_labels.h"
#include "common/scheduling/sched_states.h"

/* ---- Records ----------------------------------------------------------------------- */

bool waits_take(struct waits *w, const struct fxt_record *record)
{
    struct sched_trace *trace = w->traces.all[w->traces.n - 1];
    struct sched_event event;

    if (sched_event_is_magic(record) && trace->log.n_added > 0) {
        sched_traces_start_stream(&w->traces, true);
        trace = w->traces.all[w->traces.n - 1];
    }
    if (sched_event_is_buffer_full(record)) {
        trace->is_cut = true;
        w->tally.n_full++;
    }
    if (wait_stacks_is_one(record))
        wait_stacks_take(&w->stacks, record, (uint32_t)w->traces.n);
    switch (sched_event_from_record(record, &event)) {
    case SCHED_EVENT_NONE:
        return false;
    case SCHED_EVENT_UNUSABLE:
        w->tally.n_unusable++;
        return false;
    case SCHED_EVENT_TAKEN:
        break;
    }
    w->tally.n_switches += event.kind == SCHED_SWITCH;
    w->tally.n_drops += event.kind == SCHED_DROPS;
    sched_log_add(&trace->log, event);
    return true;
}

static void take_process(struct koid_names *names, const struct fxt_thread *thread)
{
    if (thread->known && thread->process != 0 && thread->thread != 0)
        koid_names_add_process(names, thread->thread, thread->process);
}

void waits_take_processes(struct koid_names *names, const struct fxt_record *record)
{
    if (record->type == FXT_RECORD_SCHEDULING && !record->unknown &&
        record->kind == FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH) {
        take_process(names, &record->scheduling.outgoing);
        take_process(names, &record->scheduling.incoming);
    }
    if (wait_stacks_is_one(record))
        take_process(names, &record->large_blob.thread);
}

/* ---- Frames ------------------------------------------------------------------------ */

/* While the waits are made. */
struct wait_maker {
    struct waits *waits;
    struct waits_output *output;
    struct sched_states states;
    uint32_t trace;
    /* The stack that is put together, leaf first. */
    uint64_t *frames;
    size_t n_frames;
    size_t frame_capacity;
    struct text name;
};

static void add_frame(struct wait_maker *m, uint64_t frame)
{
    MEMORY_ADD(m->frames, m->n_frames, m->frame_capacity, frame);
}

static void add_name(struct wait_maker *m, const char *name, size_t size)
{
    struct string_table *names = &m->output->builder->pc_names;

    add_frame(m, profile_builder_name(string_table_add(names, name, size)));
}

static void add_stack(struct wait_maker *m, const struct wait_stack *stack)
{
    for (uint32_t i = 0; i < stack->n; i++)
        add_frame(m, m->waits->stacks.pcs[stack->first + i]);
}

static void add_thread(struct wait_maker *m, uint64_t koid, uint64_t time_ns)
{
    const struct koid_names *names = &m->output->builder->profile.koid_names;
    struct koid_names_id id = {KOID_THREAD, koid, 0};

    id.name = koid_names_name_at(names, KOID_THREAD, koid, time_ns, UINT64_MAX);
    m->name.size = 0;
    koid_names_describe(names, id, &m->name);
    add_name(m, m->name.data, m->name.size);
}

/* ---- Samples ----------------------------------------------------------------------- */

/* A part of a wait; `n` is 1 for that part of it that counts. */
struct wait_part {
    uint64_t from_ns;
    uint64_t to_ns;
    unsigned n;
};

/* Adds the frames as a sample, as far as it is of the times asked for. */
static void add_sample(struct wait_maker *m, uint64_t thread, struct wait_part part,
                       uint32_t end)
{
    struct waits_output *out = m->output;
    struct profile_builder *b = out->builder;
    struct profile_labels labels = {.thread = thread, .cpu = PROFILE_NO_CPU};
    uint64_t ns = time_window_length(out->window, part.from_ns, part.to_ns);
    int64_t values[PROFILE_TYPES_MAX] = {0};

    out->other_time_ns += part.to_ns - part.from_ns - ns;
    if (out->window != NULL &&
        (part.from_ns < out->window->first_ns || part.from_ns > out->window->last_ns)) {
        out->n_other_time += part.n;
        part.n = 0;
    }
    if (part.n == 0 && ns == 0)
        return;
    out->n_waits += part.n;
    labels.process = koid_names_process(&b->profile.koid_names, thread);
    if (b->profile.has_times)
        labels.time_ns = part.from_ns;
    time_labels_set_names(&b->profile.koid_names, &labels, part.from_ns, UINT64_MAX);
    values[0] = part.n;
    values[1] = ns <= INT64_MAX ? (int64_t)ns : INT64_MAX;
    out->n_long += ns > INT64_MAX;
    profile_builder_add_in_epoch(
        b, &labels, &(struct fxt_words){m->frames, m->n_frames, false},
        epochs_find(out->epochs, labels.process, part.from_ns), values);
    if (end != FXT_STACK_END_UNKNOWN)
        profile_builder_set_end(b, end);
}

/* Adds the part of a wait in which the thread was in some state. */
static void add_part(struct wait_maker *m, uint64_t thread, const char *state,
                     const struct wait_stack *stack, struct wait_part part)
{
    m->n_frames = 0;
    add_name(m, state, strlen(state));
    if (stack != NULL)
        add_stack(m, stack);
    add_sample(m, thread, part, stack != NULL ? stack->end : FXT_STACK_END_UNKNOWN);
}

static void add_off_cpu(struct wait_maker *m, const struct sched_wait *wait)
{
    uint64_t thread = m->states.threads[wait->thread].koid;
    const struct wait_stack *stack =
        wait->kind != SCHED_STARTED
            ? wait_stacks_find(&m->waits->stacks, m->trace, thread, wait->from_ns)
            : NULL;
    uint64_t runnable_ns = wait->is_woken ? wait->woken_ns : wait->to_ns;
    bool is_blocked = wait->kind == SCHED_BLOCKED || wait->kind == SCHED_SUSPENDED;

    if (wait->kind == SCHED_PREEMPTED)
        runnable_ns = wait->from_ns;
    if (is_blocked)
        add_part(m, thread, wait->kind == SCHED_BLOCKED ? "[blocked]" : "[suspended]",
                 stack, (struct wait_part){wait->from_ns, runnable_ns, 1});
    if (!is_blocked || wait->is_woken)
        add_part(m, thread, "[runnable]", stack,
                 (struct wait_part){runnable_ns, wait->to_ns, !is_blocked});
}

static void add_wakeup(struct wait_maker *m, const struct sched_wait *wait)
{
    uint64_t thread = m->states.threads[wait->thread].koid;

    m->n_frames = 0;
    if (wait->waker != 0)
        add_thread(m, wait->waker, wait->woken_ns);
    else
        add_name(m, "[unknown waker]", strlen("[unknown waker]"));
    add_thread(m, thread, wait->woken_ns);
    add_sample(m, thread,
               (struct wait_part){wait->woken_ns - wait->woken_before_ns, wait->to_ns, 1},
               FXT_STACK_END_UNKNOWN);
}

static void take_wait(void *context, const struct sched_wait *wait)
{
    struct wait_maker *m = (struct wait_maker *)context;
    struct wait_tally *t = &m->waits->tally;
    uint64_t from_ns =
        m->waits->of_wakeups ? wait->woken_ns - wait->woken_before_ns : wait->from_ns;

    if (wait->kind == SCHED_UNKNOWN) {
        t->n_unknown++;
        t->unknown_ns += wait->to_ns - wait->from_ns;
        return;
    }
    if (m->waits->of_wakeups && !wait->is_woken)
        return;
    if (wait->to_ns - from_ns < m->waits->min_ns) {
        t->n_short++;
        t->short_ns += wait->to_ns - from_ns;
        return;
    }
    t->n_open += wait->is_open;
    if (!m->waits->of_wakeups)
        add_off_cpu(m, wait);
    else if (!wait->is_open)
        add_wakeup(m, wait);
}

static void ignore_run(void *context, const struct sched_run *run)
{
    (void)context;
    (void)run;
}

/* ---- The end ----------------------------------------------------------------------- */

static void take_event(void *context, const struct sched_event *event)
{
    sched_states_take((struct sched_states *)context, event);
}

void waits_finish(struct waits *w, struct waits_output *output)
{
    struct wait_maker m = {.waits = w, .output = output};

    output->builder->pcs.has_names = true;
    output->builder->pcs.first_name = PROFILE_BUILDER_FIRST_NAME;
    m.states.on_run = ignore_run;
    m.states.on_wait = take_wait;
    m.states.context = &m;
    for (size_t i = 0; i < w->traces.n; i++) {
        m.trace = (uint32_t)i + 1;
        sched_log_replay(&w->traces.all[i]->log, take_event, &m.states);
        sched_states_end(&m.states, w->traces.all[i]->is_cut);
    }
    w->tally.n_lost = m.states.n_lost;
    w->tally.n_without_wakeup = m.states.n_without_wakeup;
    sched_states_free(&m.states);
    memory_release(m.frames);
    text_free(&m.name);
}

void waits_free(struct waits *w)
{
    sched_traces_free(&w->traces);
    wait_stacks_free(&w->stacks);
}
