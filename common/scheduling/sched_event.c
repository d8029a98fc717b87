/* SPDX-License-Identifier: BSD-2-Clause */
/* See sched_event.h. */
#include "sched_event.h"

#include <string.h>

#include <fxt/sample.h>

static const struct fxt_arg *find_arg(const struct fxt_record *record, const char *name,
                                      uint32_t type)
{
    size_t size = strlen(name);

    for (uint32_t i = 0; i < record->n_args; i++) {
        const struct fxt_arg *arg = &record->args[i];

        if (arg->type == type && arg->name.data != NULL && arg->name.size == size &&
            memcmp(arg->name.data, name, size) == 0)
            return arg;
    }
    return NULL;
}

static bool has_idle_weight(const struct fxt_record *record, const char *name)
{
    const struct fxt_arg *arg = find_arg(record, name, FXT_ARG_INT32);

    return arg != NULL && arg->value.int32 == INT32_MIN;
}

static bool is_legacy_idle(const struct fxt_thread *thread, uint32_t priority)
{
    return thread->thread == 0 || (thread->process == 0 && priority == 0);
}

static void find_idle(const struct fxt_record *record, struct sched_event *event)
{
    const struct fxt_scheduling *s = &record->scheduling;
    bool is_out;
    bool is_in;

    if (record->kind == FXT_SCHEDULING_LEGACY_CONTEXT_SWITCH) {
        is_out = is_legacy_idle(&s->outgoing, s->outgoing_priority);
        is_in = is_legacy_idle(&s->incoming, s->incoming_priority);
    } else {
        is_out = s->outgoing.thread == 0 || has_idle_weight(record, "outgoing_weight");
        is_in = s->incoming.thread == 0 || has_idle_weight(record, "incoming_weight");
    }
    event->flags =
        (uint8_t)((is_out ? SCHED_OUTGOING_IDLE : 0) | (is_in ? SCHED_INCOMING_IDLE : 0));
}

static enum sched_event_result take_switch(const struct fxt_record *record,
                                           struct sched_event *event)
{
    const struct fxt_scheduling *s = &record->scheduling;

    if (!s->outgoing.known || !s->incoming.known)
        return SCHED_EVENT_UNUSABLE;
    event->kind = SCHED_SWITCH;
    event->thread = s->outgoing.thread;
    event->other = s->incoming.thread;
    event->state = (uint8_t)s->outgoing_state;
    find_idle(record, event);
    return SCHED_EVENT_TAKEN;
}

static enum sched_event_result take_wakeup(const struct fxt_record *record,
                                           struct sched_event *event)
{
    const struct fxt_arg *waker = find_arg(record, "waker", FXT_ARG_KOID);

    event->kind = SCHED_WAKEUP;
    event->thread = record->scheduling.waking_thread;
    event->other = waker != NULL ? waker->value.koid : 0;
    if (event->thread == 0 || has_idle_weight(record, "weight"))
        return SCHED_EVENT_NONE;
    return SCHED_EVENT_TAKEN;
}

static bool is_text(struct fxt_string string, const char *text)
{
    return string.data != NULL && string.size == strlen(text) &&
           memcmp(string.data, text, string.size) == 0;
}

bool sched_event_is_waiting(const struct fxt_record *record)
{
    const struct fxt_large_blob *blob = &record->large_blob;

    return record->type == FXT_RECORD_LARGE && !record->unknown &&
           blob->format == FXT_LARGE_BLOB_METADATA && is_text(blob->category, "sched") &&
           is_text(blob->name, "waiting");
}

static enum sched_event_result take_waiting(const struct fxt_record *record,
                                            struct sched_event *event)
{
    const struct fxt_arg *cpu = find_arg(record, "cpu", FXT_ARG_UINT32);
    const struct fxt_arg *state = find_arg(record, "state", FXT_ARG_UINT32);
    const struct fxt_arg *woken = find_arg(record, "woken", FXT_ARG_UINT64);
    const struct fxt_arg *waker = find_arg(record, "waker", FXT_ARG_KOID);
    uint64_t rate = record->provider->ticks_per_second;

    if (cpu == NULL || cpu->value.uint32 > SCHED_CPU_MAX || state == NULL ||
        state->value.uint32 > UINT8_MAX || !record->large_blob.thread.known ||
        record->large_blob.thread.thread == 0 ||
        !fxt_ticks_to_ns(record->large_blob.timestamp, rate, &event->time_ns) ||
        (woken != NULL &&
         (!fxt_ticks_to_ns(woken->value.uint64, rate, &event->woken_ns) ||
          event->woken_ns > event->time_ns)))
        return SCHED_EVENT_UNUSABLE;
    event->kind = SCHED_WAITING;
    event->thread = record->large_blob.thread.thread;
    event->other = waker != NULL ? waker->value.koid : 0;
    event->cpu = cpu->value.uint32;
    event->state = (uint8_t)state->value.uint32;
    return SCHED_EVENT_TAKEN;
}

static enum sched_event_result take_scheduling(const struct fxt_record *record,
                                               struct sched_event *event)
{
    if (record->unknown ||
        !fxt_ticks_to_ns(record->scheduling.timestamp, record->provider->ticks_per_second,
                         &event->time_ns))
        return SCHED_EVENT_UNUSABLE;
    event->cpu = record->scheduling.cpu;
    if (record->kind == FXT_SCHEDULING_THREAD_WAKEUP)
        return take_wakeup(record, event);
    return take_switch(record, event);
}

static enum sched_event_result take_drops(const struct fxt_record *record,
                                          struct sched_event *event)
{
    struct fxt_sample sample;

    if (fxt_sample_from_record(record, &sample) != FXT_SAMPLE_DROPS)
        return SCHED_EVENT_NONE;
    if (sample.cpu > SCHED_CPU_MAX ||
        !fxt_ticks_to_ns(sample.timestamp, record->provider->ticks_per_second,
                         &event->time_ns))
        return SCHED_EVENT_UNUSABLE;
    event->kind = SCHED_DROPS;
    event->cpu = sample.cpu;
    return SCHED_EVENT_TAKEN;
}

enum sched_event_result sched_event_from_record(const struct fxt_record *record,
                                                struct sched_event *event)
{
    *event = (struct sched_event){.time_ns = 0};
    if (record->type == FXT_RECORD_SCHEDULING)
        return take_scheduling(record, event);
    if (record->type == FXT_RECORD_EVENT && sched_event_may_be_drops(record))
        return take_drops(record, event);
    if (sched_event_is_waiting(record))
        return take_waiting(record, event);
    return SCHED_EVENT_NONE;
}
