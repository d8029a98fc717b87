/* SPDX-License-Identifier: BSD-2-Clause */
/* See events.h: taking events. */
#include "events.h"

#include <string.h>

#include <fxt/format.h>

#include "common/base/memory.h"
#include "event_list.h"
#include "libfxtprofile/import/waits/waits.h"

/* ---- Threads and strings ----------------------------------------------------------- */

uint32_t events_find_thread(struct events *e, const struct fxt_thread *from)
{
    struct span_thread thread = span_thread_of(from, e->stream);
    struct profile_events *list = &e->list;
    uint32_t number = span_thread_set_find(&e->threads, &thread);

    if (number < list->n_threads)
        return number;
    MEMORY_ADD(list->threads, list->n_threads, e->list_thread_capacity,
               (struct profile_event_thread){thread.process, thread.thread});
    return number;
}

/* A string that was never registered is named by its index. */
static uint32_t add_string(struct events *e, const struct fxt_string *string)
{
    if (string->data != NULL)
        return string_table_add(&e->list.strings, string->data, string->size);
    e->name.size = 0;
    text_printf(&e->name, "string[%u]", string->ref);
    return string_table_add(&e->list.strings, e->name.data, e->name.size);
}

uint32_t events_add_text(struct events *e, const char *string)
{
    return string_table_add(&e->list.strings, string, strlen(string));
}

/* ---- Arguments --------------------------------------------------------------------- */

static uint64_t value_of(struct events *e, const struct fxt_arg *arg)
{
    uint64_t bits;

    switch (arg->type) {
    case FXT_ARG_INT32:
        return (uint64_t)(int64_t)arg->value.int32;
    case FXT_ARG_UINT32:
        return arg->value.uint32;
    case FXT_ARG_INT64:
        return (uint64_t)arg->value.int64;
    case FXT_ARG_UINT64:
    case FXT_ARG_POINTER:
    case FXT_ARG_KOID:
        return arg->value.uint64;
    case FXT_ARG_DOUBLE:
        memcpy(&bits, &arg->value.float64, sizeof(bits));
        return bits;
    case FXT_ARG_STRING:
        return add_string(e, &arg->value.string);
    case FXT_ARG_BOOL:
        return arg->value.boolean;
    case FXT_ARG_BLOB:
        return string_table_add(&e->list.strings, (const char *)arg->value.blob.data,
                                (size_t)arg->value.blob.size);
    default:
        return 0;
    }
}

static void add_arg(struct events *e, struct profile_arg arg)
{
    struct profile_events *list = &e->list;

    if (list->n_args == UINT32_MAX)
        table_too_many();
    MEMORY_ADD(list->args, list->n_args, e->arg_capacity, arg);
}

void events_add_number(struct events *e, const char *name, uint64_t number)
{
    add_arg(e, (struct profile_arg){events_add_text(e, name), FXT_ARG_UINT64, number});
}

/* ---- Events ------------------------------------------------------------------------ */

void events_add(struct events *e, struct profile_event event)
{
    struct profile_events *list = &e->list;

    if (list->n == UINT32_MAX)
        table_too_many();
    event.order = (uint32_t)list->n;
    event.first_arg = (uint32_t)list->n_args - event.n_args;
    MEMORY_ADD(list->events, list->n, e->capacity, event);
}

/* Returns false for what is no event of a timeline. */
static bool kind_of(uint32_t kind, uint8_t *to)
{
    switch (kind) {
    case FXT_EVENT_INSTANT:
        *to = PROFILE_EVENT_INSTANT;
        return true;
    case FXT_EVENT_COUNTER:
        *to = PROFILE_EVENT_COUNTER;
        return true;
    case FXT_EVENT_DURATION_BEGIN:
        *to = UNMATCHED_BEGIN;
        return true;
    case FXT_EVENT_DURATION_END:
        *to = UNMATCHED_END;
        return true;
    case FXT_EVENT_DURATION_COMPLETE:
        *to = PROFILE_EVENT_SPAN;
        return true;
    case FXT_EVENT_ASYNC_BEGIN:
        *to = UNMATCHED_ASYNC_BEGIN;
        return true;
    case FXT_EVENT_ASYNC_INSTANT:
        *to = PROFILE_EVENT_ASYNC_INSTANT;
        return true;
    case FXT_EVENT_ASYNC_END:
        *to = UNMATCHED_ASYNC_END;
        return true;
    case FXT_EVENT_FLOW_BEGIN:
        *to = PROFILE_EVENT_FLOW_BEGIN;
        return true;
    case FXT_EVENT_FLOW_STEP:
        *to = PROFILE_EVENT_FLOW_STEP;
        return true;
    case FXT_EVENT_FLOW_END:
        *to = PROFILE_EVENT_FLOW_END;
        return true;
    default:
        return false;
    }
}

static uint64_t ns_of(struct events *e, const struct fxt_record *record, uint64_t ticks)
{
    uint64_t ns;

    if (!fxt_ticks_to_ns(ticks, record->provider->ticks_per_second, &ns))
        e->tally.n_late++;
    return ns;
}

static void take_event(struct events *e, const struct fxt_record *record)
{
    const struct fxt_event *from = &record->event;
    bool is_complete = record->kind == FXT_EVENT_DURATION_COMPLETE;
    struct profile_event event = {.id = from->id};

    if (!kind_of(record->kind, &event.kind))
        return;
    if (is_complete && from->end_timestamp < from->timestamp) {
        e->tally.n_backwards++;
        return;
    }
    event.time_ns = ns_of(e, record, from->timestamp);
    event.end_ns = is_complete ? ns_of(e, record, from->end_timestamp) : event.time_ns;
    event.thread = events_find_thread(e, &from->thread);
    event.name = span_add_name(&e->list.strings, &e->name, from);
    event.category = add_string(e, &from->category);
    for (uint32_t i = 0; i < record->n_args; i++) {
        struct profile_arg arg = {add_string(e, &record->args[i].name),
                                  record->args[i].type, value_of(e, &record->args[i])};

        add_arg(e, arg);
    }
    event.n_args = (uint8_t)record->n_args;
    events_add(e, event);
}

static void take_log(struct events *e, const struct fxt_record *record)
{
    uint64_t ns = ns_of(e, record, record->log.timestamp);

    events_add(
        e, (struct profile_event){.time_ns = ns,
                                  .end_ns = ns,
                                  .thread = events_find_thread(e, &record->log.thread),
                                  .name = add_string(e, &record->log.message),
                                  .category = events_add_text(e, "log"),
                                  .kind = PROFILE_EVENT_LOG});
}

void events_take(struct events *e, const struct fxt_record *record)
{
    off_cpu_take(&e->off_cpu, record);
    waits_take_processes(&e->processes, record);
    if (record->unknown)
        return;
    if (record->type == FXT_RECORD_EVENT)
        take_event(e, record);
    else if (record->type == FXT_RECORD_LOG)
        take_log(e, record);
}

void events_take_drops(struct events *e, const struct fxt_record *record,
                       const struct fxt_sample *drops)
{
    struct fxt_thread none = {.known = true};
    uint64_t last = drops->last_timestamp > drops->timestamp ? drops->last_timestamp
                                                             : drops->timestamp;

    events_add_number(e, "cpu", drops->cpu);
    events_add_number(e, "records", drops->dropped_records);
    events_add_number(e, "bytes", drops->dropped_bytes);
    events_add(e, (struct profile_event){.time_ns = ns_of(e, record, drops->timestamp),
                                         .end_ns = ns_of(e, record, last),
                                         .thread = events_find_thread(e, &none),
                                         .name = events_add_text(e, "records dropped"),
                                         .category = events_add_text(e, "sampler"),
                                         .n_args = 3,
                                         .kind = PROFILE_EVENT_DROPS});
}

/* ---- Beginning and end ------------------------------------------------------------- */

void events_start_stream(struct events *e, bool is_archive)
{
    e->stream++;
    sched_traces_start_stream(&e->off_cpu, is_archive);
}

void events_finish(struct events *e, struct profile_events *to)
{
    events_finish_scheduling(e);
    events_match(e);
    *to = e->list;
    e->list = (struct profile_events){.n = 0};
}

void events_free(struct events *e)
{
    span_thread_set_free(&e->threads);
    memory_release(e->end_threads);
    sched_traces_free(&e->off_cpu);
    text_free(&e->name);
}
