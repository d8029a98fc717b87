/* SPDX-License-Identifier: BSD-2-Clause */
/* See tree.h: taking events, and matching and sorting them. */
#include "tree.h"

#include <fxt/format.h>

#include "common/base/memory.h"
#include "common/base/sort.h"
#include "common/base/table_items.h"
#include "common/spans/span_match.h"
#include "tools/fxtdump/plain.h"

/* ---- Names of objects -------------------------------------------------------------- */

/* Takes a record, if it names a process or a thread. */
static void take_object_name(struct object_names *n, const struct fxt_record *record)
{
    const struct fxt_kernel_object *object = &record->kernel_object;
    struct object_name name = {object->koid, object->type, 0};
    uint32_t number;

    if (record->type != FXT_RECORD_KERNEL_OBJECT || object->name.data == NULL ||
        object->name.size == 0)
        return;
    if (object->type != FXT_OBJECT_PROCESS && object->type != FXT_OBJECT_THREAD)
        return;
    number = TABLE_PUT(&n->table, n->names, n->n, n->capacity, &name, koid, type);
    n->names[number].name =
        string_table_add(&n->strings, object->name.data, object->name.size);
}

struct string object_names_find(const struct object_names *n, uint32_t type,
                                uint64_t koid)
{
    struct object_name key = {koid, type, 0};
    uint32_t number = TABLE_FIND(&n->table, n->names, &key, koid, type);

    if (number == TABLE_NONE)
        return (struct string){NULL, 0};
    return string_table_get(&n->strings, n->names[number].name);
}

/* ---- Taking events ----------------------------------------------------------------- */

/* How many bytes of a string among arguments are printed. */
enum { ARG_STRING_BYTES = 64 };

void tree_init(struct tree *t, const struct filter *filter)
{
    *t = (struct tree){.filter = filter, .any_time = *filter};
    t->any_time.by_time = false;
}

/* ---- Events ------------------------------------------------------------------------ */

static uint32_t add_string(struct tree *t, const struct fxt_string *string)
{
    uint32_t number;

    if (string->data == NULL)
        return string->ref | TREE_REF;
    number = string_table_add(&t->strings, string->data, string->size);
    if ((number & TREE_REF) != 0)
        table_too_many();
    return number;
}

static size_t add_args(struct tree *t, const struct print_context *context,
                       const struct fxt_record *record)
{
    struct print_context shortly = *context;
    size_t at;

    if (t->args.size == 0)
        text_char(&t->args, '\0');
    if (record->n_args == 0)
        return 0;
    at = t->args.size;
    shortly.max_string_bytes = ARG_STRING_BYTES;
    plain_args(&t->args, &shortly, record);
    text_char(&t->args, '\0');
    return at;
}

static uint32_t thread_of(struct tree *t, const struct fxt_thread *from)
{
    struct span_thread thread = span_thread_of(from, 0);

    return span_thread_set_find(&t->threads, &thread);
}

static uint32_t group_of(struct tree *t, const struct fxt_event *event)
{
    struct async_group group = {
        .name = span_add_name(&t->strings, &t->room, event),
        .process = span_thread_of(&event->thread, 0).process,
        .id = event->id,
    };

    return async_groups_find(&t->groups, &group);
}

static void add_event(struct tree *t, struct tree_event event)
{
    if (t->n == UINT32_MAX)
        table_too_many();
    event.order = (uint32_t)t->n;
    MEMORY_ADD(t->events, t->n, t->capacity, event);
}

/* What matters for others that are shown even if it is not shown itself. */
static bool is_kept(uint32_t kind)
{
    switch (kind) {
    case FXT_EVENT_DURATION_BEGIN:
    case FXT_EVENT_DURATION_END:
    case FXT_EVENT_DURATION_COMPLETE:
    case FXT_EVENT_ASYNC_BEGIN:
    case FXT_EVENT_ASYNC_END:
        return true;
    default:
        return false;
    }
}

static void take_event(struct tree *t, const struct print_context *context,
                       const struct fxt_record *record)
{
    const struct fxt_event *from = &record->event;
    uint64_t rate = record->provider->ticks_per_second;
    struct tree_event event = {.kind = (uint8_t)record->kind, .id = from->id};

    event.is_wanted = filter_takes(&t->any_time, record);
    if (!event.is_wanted && !is_kept(record->kind))
        return;
    event.is_late = !fxt_ticks_to_ns(from->timestamp, rate, &event.time_ns);
    event.end_ns = event.time_ns;
    if (record->kind == FXT_EVENT_DURATION_COMPLETE) {
        event.is_end_late = !fxt_ticks_to_ns(from->end_timestamp, rate, &event.end_ns);
        if (from->end_timestamp < from->timestamp) {
            event.kind = TREE_BACKWARDS;
            event.end_ns = event.time_ns;
        }
    }
    event.thread = thread_of(t, &from->thread);
    if (record->kind == FXT_EVENT_ASYNC_BEGIN || record->kind == FXT_EVENT_ASYNC_END)
        event.group = group_of(t, from);
    event.category = add_string(t, &from->category);
    event.name = add_string(t, &from->name);
    event.args = add_args(t, context, record);
    add_event(t, event);
}

static void take_log(struct tree *t, const struct fxt_record *record)
{
    struct tree_event event = {.kind = TREE_LOG};
    uint64_t rate = record->provider->ticks_per_second;

    event.is_wanted = filter_takes(&t->any_time, record);
    if (!event.is_wanted)
        return;
    event.is_late = !fxt_ticks_to_ns(record->log.timestamp, rate, &event.time_ns);
    event.end_ns = event.time_ns;
    event.thread = thread_of(t, &record->log.thread);
    event.name = add_string(t, &record->log.message);
    add_event(t, event);
}

/* What only helps to read others. */
static bool is_registration(const struct fxt_record *record)
{
    return record->type == FXT_RECORD_METADATA ||
           record->type == FXT_RECORD_INITIALIZATION ||
           record->type == FXT_RECORD_STRING || record->type == FXT_RECORD_THREAD ||
           record->type == FXT_RECORD_KERNEL_OBJECT;
}

void tree_take(struct tree *t, const struct print_context *context,
               const struct fxt_record *record)
{
    take_object_name(&t->objects, record);
    if (record->type == FXT_RECORD_EVENT && !record->unknown)
        take_event(t, context, record);
    else if (record->type == FXT_RECORD_LOG && !record->unknown)
        take_log(t, record);
    else if (!is_registration(record))
        t->n_others += filter_takes(t->filter, record);
}

void tree_take_fault(struct tree *t, const struct fault *fault)
{
    t->n_faults++;
    t->n_skipped += fault->size;
}

/* ---- Matching ---------------------------------------------------------------------- */

static bool takes_part(const struct tree_event *event, bool is_async,
                       enum span_kind *kind)
{
    switch (event->kind) {
    case FXT_EVENT_DURATION_BEGIN:
    case FXT_EVENT_ASYNC_BEGIN:
        *kind = SPAN_BEGIN;
        return is_async == (event->kind == FXT_EVENT_ASYNC_BEGIN);
    case FXT_EVENT_DURATION_END:
    case FXT_EVENT_ASYNC_END:
        *kind = SPAN_END;
        return is_async == (event->kind == FXT_EVENT_ASYNC_END);
    case FXT_EVENT_DURATION_COMPLETE:
        *kind = SPAN_COMPLETE;
        return !is_async;
    default:
        return false;
    }
}

static size_t collect_spans(const struct tree *t, bool is_async, struct span_event *spans)
{
    enum span_kind kind;
    size_t n = 0;

    for (size_t i = 0; i < t->n; i++) {
        const struct tree_event *event = &t->events[i];

        if (takes_part(event, is_async, &kind))
            spans[n++] = (struct span_event){
                .time_ns = event->time_ns,
                .end_ns = event->end_ns,
                .order = (uint64_t)i << 2 | kind,
                .thread = is_async ? event->group : event->thread,
            };
    }
    return n;
}

/* A begin is printed with what its end has, and the end of a duration not at all. */
static void apply(struct tree *t, const struct span_event *span)
{
    struct tree_event *event = &t->events[span->order >> 2];
    struct tree_event *begin;

    switch (span_kind_of(span)) {
    case SPAN_BEGIN:
        event->end_ns = span->end_ns;
        break;
    case SPAN_UNCLOSED:
        event->end_ns = span->end_ns;
        event->is_unmatched = true;
        break;
    case SPAN_END:
        event->is_unmatched = span->end_ns == SPAN_UNMATCHED;
        if (event->is_unmatched)
            break;
        begin = &t->events[span->end_ns >> 2];
        begin->is_end_late = event->is_late;
        begin->end_args = event->args;
        event->is_wanted = event->is_wanted && event->kind == FXT_EVENT_ASYNC_END;
        break;
    case SPAN_COMPLETE:
        break;
    }
}

static void match_kind(struct tree *t, bool is_async, struct span_event *spans)
{
    struct span_tally tally = {.n_unopened = 0};
    size_t n = collect_spans(t, is_async, spans);

    spans_match(&tally, spans, n);
    for (size_t i = 0; i < n; i++)
        apply(t, &spans[i]);
}

static void match_all(struct tree *t)
{
    struct span_event *spans = (struct span_event *)memory_reserve(t->n * sizeof(*spans));

    match_kind(t, false, spans);
    match_kind(t, true, spans);
    memory_release(spans);
}

/* ---- What is printed, in its order ------------------------------------------------- */

static void drop_unwanted(struct tree *t)
{
    const struct filter *filter = t->filter;
    size_t kept = 0;

    for (size_t i = 0; i < t->n; i++) {
        const struct tree_event *event = &t->events[i];

        if (event->is_wanted && (!filter->by_time || (event->end_ns >= filter->first_ns &&
                                                      event->time_ns <= filter->last_ns)))
            t->events[kept++] = *event;
    }
    t->n = kept;
}

struct thread_rank {
    struct span_thread thread;
    uint32_t number;
};

/* Threads that were never registered are last. */
SORT_ORDER(order_threads, struct thread_rank,
           BY(thread.unknown_ref) || BY(thread.process) || BY(thread.thread));

/* Renumbers threads by their process and their koid. */
static void sort_threads(struct tree *t)
{
    size_t n = t->threads.n;
    struct thread_rank *ranks = (struct thread_rank *)memory_reserve(n * sizeof(*ranks));
    uint32_t *numbers = (uint32_t *)memory_reserve(n * sizeof(*numbers));

    for (size_t i = 0; i < n; i++)
        ranks[i] = (struct thread_rank){t->threads.threads[i], (uint32_t)i};
    SORT(ranks, n, order_threads);
    for (size_t i = 0; i < n; i++) {
        numbers[ranks[i].number] = (uint32_t)i;
        t->threads.threads[i] = ranks[i].thread;
    }
    for (size_t i = 0; i < t->n; i++)
        t->events[i].thread = numbers[t->events[i].thread];
    memory_release(numbers);
    memory_release(ranks);
}

/* What encloses another event comes before it. Others than spans take no time. */
static uint64_t nesting_end(const struct tree_event *event)
{
    if (event->kind == FXT_EVENT_DURATION_COMPLETE)
        return event->end_ns;
    if (event->kind == FXT_EVENT_DURATION_BEGIN)
        return event->is_unmatched ? UINT64_MAX : event->end_ns;
    return event->time_ns;
}

static int order_events(const void *left, const void *right)
{
    const struct tree_event *a = (const struct tree_event *)left;
    const struct tree_event *b = (const struct tree_event *)right;

    if (a->thread != b->thread)
        return order_numbers(a->thread, b->thread);
    if (a->time_ns != b->time_ns)
        return order_numbers(a->time_ns, b->time_ns);
    return order_pairs(nesting_end(b), nesting_end(a), a->order, b->order);
}

void tree_finish(struct tree *t)
{
    match_all(t);
    drop_unwanted(t);
    sort_threads(t);
    SORT(t->events, t->n, order_events);
}

void tree_clear(struct tree *t)
{
    memory_release(t->events);
    memory_release(t->open);
    span_thread_set_free(&t->threads);
    async_groups_free(&t->groups);
    string_table_free(&t->strings);
    memory_release(t->objects.names);
    table_free(&t->objects.table);
    string_table_free(&t->objects.strings);
    text_free(&t->args);
    text_free(&t->room);
    tree_init(t, t->filter);
}
