/* SPDX-License-Identifier: BSD-2-Clause */
/* See summary.h: taking records. */
#include "summary.h"

#include <string.h>

#include <fxt/compiler.h>
#include <fxt/format.h>

#include "common/base/memory.h"

/* ---- Threads ----------------------------------------------------------------------- */

static uint32_t find_thread(struct summary *s, uint32_t stream,
                            const struct fxt_thread *from)
{
    struct span_thread id = span_thread_of(from, stream);
    uint32_t number = span_thread_set_find(&s->threads, &id);

    if (number < s->n_logs)
        return number;
    MEMORY_ADD(s->logs, s->n_logs, s->log_capacity, (struct span_log){.n = 0});
    return number;
}

/* ---- Names ------------------------------------------------------------------------- */

/* A string that was never registered is named by its index. */
static uint32_t add_string(struct summary *s, const struct fxt_string *string)
{
    if (string->data != NULL)
        return string_table_add(&s->strings, string->data, string->size);
    s->room.size = 0;
    text_printf(&s->room, "string[%u]", string->ref);
    return string_table_add(&s->strings, s->room.data, s->room.size);
}

static uint32_t find_label(struct summary *s, struct labels *labels,
                           const struct fxt_event *event)
{
    uint32_t name = span_add_name(&s->strings, &s->room, event);

    return labels_find(labels, name, add_string(s, &event->category));
}

static bool is_entry(const struct summary *s, uint32_t number,
                     const struct fxt_string *string)
{
    struct string entry = string_table_get(&s->strings, number);

    return entry.size == string->size &&
           memcmp(entry.data, string->data, string->size) == 0;
}

static bool has_label(const struct summary *s, const struct label *label,
                      const struct fxt_string *name, const struct fxt_string *category)
{
    return is_entry(s, label->name, name) && is_entry(s, label->category, category);
}

/* The same for spans, which are most of what large traces have. */
static uint32_t find_span_label(struct summary *s, const struct fxt_record *record)
{
    const struct fxt_string *name = &record->event.name;
    const struct fxt_string *category = &record->event.category;
    uint64_t refs =
        (uint64_t)record->provider->id << 32 | (uint32_t)name->ref << 16 | category->ref;
    struct summary_recent *recent =
        &s->recent[(name->ref * 31U + category->ref) % SUMMARY_RECENT];

    if (name->data == NULL || name->size == 0 || category->data == NULL)
        return find_label(s, &s->spans, &record->event);
    if (recent->refs == refs && recent->n_registered == s->n_registered)
        return recent->label;
    if (!recent->is_set || !has_label(s, &s->spans.all[recent->label], name, category))
        recent->label = find_label(s, &s->spans, &record->event);
    recent->is_set = true;
    recent->refs = refs;
    recent->n_registered =
        ((name->ref | category->ref) & FXT_STRING_REF_INLINE) == 0 ? s->n_registered : 0;
    return recent->label;
}

static uint32_t take_span_label(struct summary *s, const struct fxt_record *record)
{
    uint32_t label = find_span_label(s, record);

    s->spans.all[label].n_events++;
    return label;
}

/* ---- Events ------------------------------------------------------------------------ */

static uint64_t ns_of(struct summary *s, const struct fxt_record *record, uint64_t ticks)
{
    uint64_t ns;

    s->tally.n_late += !fxt_ticks_to_ns(ticks, record->provider->ticks_per_second, &ns);
    return ns;
}

static void take_span(struct summary *s, uint32_t stream, const struct fxt_record *record,
                      enum span_kind kind)
{
    const struct fxt_event *from = &record->event;
    struct span_event event = {.order = kind};
    uint32_t thread;

    if (kind == SPAN_COMPLETE && from->end_timestamp < from->timestamp) {
        s->tally.n_backwards++;
        return;
    }
    event.time_ns = ns_of(s, record, from->timestamp);
    if (kind == SPAN_COMPLETE)
        event.end_ns = ns_of(s, record, from->end_timestamp);
    if (kind != SPAN_END)
        event.name = take_span_label(s, record);
    thread = find_thread(s, stream, &from->thread);
    span_log_add(&s->logs[thread], &event);
}

static void take_operation(struct summary *s, struct operations *operations,
                           uint32_t stream, const struct fxt_record *record,
                           enum operation_kind kind)
{
    const struct fxt_event *from = &record->event;
    struct operation_event event = {.time_ns = ns_of(s, record, from->timestamp),
                                    .kind = kind};
    struct async_group group = {.stream = stream, .process = from->thread.process};
    const struct label *label;

    event.thread = find_thread(s, stream, &from->thread);
    event.label = find_label(s, &operations->labels, from);
    label = &operations->labels.all[event.label];
    group.id = from->id;
    group.name = label->name;
    if (operations == &s->flows)
        group = async_group_of_flow(from->id, label->name, label->category);
    event.group = async_groups_find(&operations->groups, &group);
    operations_add(operations, &event);
}

/* What fxtrecord and fxtheap say of their recordings. */
static bool is_of_recorder(const struct fxt_event *event)
{
    return fxt_string_is(event->category, "fxtrecord") ||
           (fxt_string_is(event->category, "heap") &&
            (fxt_string_is(event->name, "snapshot") ||
             fxt_string_is(event->name, "recording") ||
             fxt_string_is(event->name, "point")));
}

static void take_instant(struct summary *s, uint32_t stream,
                         const struct fxt_record *record)
{
    const struct fxt_event *from = &record->event;
    struct operation_event event = {.time_ns = ns_of(s, record, from->timestamp)};

    if (is_of_recorder(from))
        return;
    event.thread = find_thread(s, stream, &from->thread);
    event.label = find_label(s, &s->instants.labels, from);
    operations_add(&s->instants, &event);
}

static bool value_of(const struct fxt_arg *arg, double *value)
{
    switch (arg->type) {
    case FXT_ARG_INT32:
        *value = arg->value.int32;
        return true;
    case FXT_ARG_UINT32:
        *value = arg->value.uint32;
        return true;
    case FXT_ARG_INT64:
        *value = (double)arg->value.int64;
        return true;
    case FXT_ARG_UINT64:
        *value = (double)arg->value.uint64;
        return true;
    case FXT_ARG_DOUBLE:
        *value = arg->value.float64;
        return *value - *value == 0;
    default:
        return false;
    }
}

static void take_counter(struct summary *s, uint32_t stream,
                         const struct fxt_record *record)
{
    const struct fxt_event *from = &record->event;
    struct counter_series series = {.stream = stream};
    struct summary_value value = {.time_ns = ns_of(s, record, from->timestamp)};
    uint32_t thread = find_thread(s, stream, &from->thread);

    series.counter.process = from->thread.process;
    series.counter.id = from->id;
    series.counter.name = span_add_name(&s->strings, &s->room, from);
    series.counter.category = add_string(s, &from->category);
    for (uint32_t i = 0; i < record->n_args; i++) {
        if (!value_of(&record->args[i], &value.value))
            continue;
        series.counter.series = add_string(s, &record->args[i].name);
        counters_add(&s->counters, &series, &value, thread);
    }
}

static void take_event(struct summary *s, uint32_t stream,
                       const struct fxt_record *record)
{
    switch (record->kind) {
    case FXT_EVENT_DURATION_BEGIN:
        take_span(s, stream, record, SPAN_BEGIN);
        break;
    case FXT_EVENT_DURATION_END:
        take_span(s, stream, record, SPAN_END);
        break;
    case FXT_EVENT_DURATION_COMPLETE:
        take_span(s, stream, record, SPAN_COMPLETE);
        break;
    case FXT_EVENT_ASYNC_BEGIN:
        take_operation(s, &s->async, stream, record, OPERATION_BEGIN);
        break;
    case FXT_EVENT_ASYNC_END:
        take_operation(s, &s->async, stream, record, OPERATION_END);
        break;
    case FXT_EVENT_FLOW_BEGIN:
        take_operation(s, &s->flows, stream, record, OPERATION_BEGIN);
        break;
    case FXT_EVENT_FLOW_STEP:
        take_operation(s, &s->flows, stream, record, OPERATION_STEP);
        break;
    case FXT_EVENT_FLOW_END:
        take_operation(s, &s->flows, stream, record, OPERATION_END);
        break;
    case FXT_EVENT_INSTANT:
    case FXT_EVENT_ASYNC_INSTANT:
        take_instant(s, stream, record);
        break;
    case FXT_EVENT_COUNTER:
        take_counter(s, stream, record);
        break;
    default:
        break;
    }
}

uint32_t summary_start_stream(struct summary *s)
{
    s->n_registered++;
    return ++s->n_streams;
}

void summary_take(struct summary *s, uint32_t stream, const struct fxt_record *record)
{
    if (record->type == FXT_RECORD_EVENT && !record->unknown)
        take_event(s, stream, record);
    s->n_registered += record->type == FXT_RECORD_STRING;
    if (record->type != FXT_RECORD_EVENT || sched_event_may_be_drops(record))
        sched_times_take(&s->scheduling, record);
}
