/* SPDX-License-Identifier: BSD-2-Clause */
/* See check_spans.h. */
#include "check_spans.h"

#include <inttypes.h>

#include <fxt/format.h>

#include "common/base/memory.h"
#include "common/base/quote.h"
#include "common/base/sort.h"
#include "common/spans/span_match.h"

/* How many events are matched at once; limits on open operations, on names and on
 * threads. */
enum { WINDOW_MIN = 1 << 15, WINDOW_MAX = 1 << 20 };
enum { OPEN_MAX = 1 << 20, NAMES_MAX = 1 << 18, THREADS_MAX = 1 << 20 };
enum { OPERATIONS, FLOWS };

static void report_full(struct check_spans *c, uint64_t offset)
{
    if (!c->is_full)
        finding_add(c->findings, RULE_LIMIT, offset);
    c->is_full = true;
}

/* Records are at multiples of eight bytes. */
static uint64_t order_of(uint64_t offset, enum span_kind kind)
{
    return offset << 2 | (uint64_t)kind;
}

static uint64_t offset_of(const struct span_event *event)
{
    return event->order >> 2;
}

static void add_name(struct text *text, const struct string_table *names, uint32_t number)
{
    struct string name = string_table_get(names, number);

    quote_word(text, name.data, name.size);
}

/* ---- Spans ------------------------------------------------------------------------- */

static void report_span(struct check_spans *c, enum rule rule,
                        const struct span_event *event)
{
    const struct span_thread *thread = &c->threads.threads[event->thread];
    struct text *text = finding_begin(c->findings, rule, offset_of(event));

    if (text == NULL)
        return;
    add_name(text, &c->names.strings, event->name);
    text_printf(text, ", thread %" PRIu64 "/%" PRIu64, thread->process, thread->thread);
    finding_end(c->findings, rule);
}

static bool is_open(const struct span_event *event)
{
    enum span_kind kind = span_kind_of(event);

    return kind == SPAN_UNCLOSED || (kind == SPAN_END && event->end_ns == SPAN_UNMATCHED);
}

static void report_open(struct check_spans *c, const struct span_event *event)
{
    report_span(
        c, span_kind_of(event) == SPAN_UNCLOSED ? RULE_SPAN_UNCLOSED : RULE_SPAN_UNOPENED,
        event);
}

SORT_ORDER(order_flows, struct flow_event, BY(thread) || BY(time_ns));

/* Events and flows are by threads and times: a flow's event is in a span if the latest
 * end of those that have begun is not before it. What is open lasts. */
static void check_flows(struct check_spans *c)
{
    size_t at = 0;
    uint64_t end = 0;
    bool has_span = false;

    SORT(c->flows, c->n_flows, order_flows);
    for (size_t i = 0; i < c->n_flows; i++) {
        const struct flow_event *f = &c->flows[i];

        if (i == 0 || f->thread != f[-1].thread)
            has_span = false;
        for (; at < c->n_events && (c->events[at].thread < f->thread ||
                                    (c->events[at].thread == f->thread &&
                                     c->events[at].time_ns <= f->time_ns));
             at++) {
            const struct span_event *e = &c->events[at];
            uint64_t until = is_open(e) ? UINT64_MAX : e->end_ns;

            if (e->thread != f->thread || span_kind_of(e) == SPAN_END)
                continue;
            end = !has_span || until > end ? until : end;
            has_span = true;
        }
        if (!has_span || end < f->time_ns)
            finding_add(c->findings, RULE_FLOW_OUTSIDE, f->offset);
    }
    c->n_flows = 0;
}

/* Puts the events of each thread together, in their order, which is mostly that of time:
 * spans_match has little to sort then. */
static void group_threads(struct check_spans *c)
{
    size_t *starts = memory_allocate((c->threads.n + 1) * sizeof(*starts));
    struct span_event *events = c->events;

    if (c->sorted == NULL)
        c->sorted = memory_reserve(c->event_capacity * sizeof(*c->sorted));
    for (size_t i = 0; i < c->n_events; i++)
        starts[events[i].thread + 1]++;
    for (size_t i = 1; i <= c->threads.n; i++)
        starts[i] += starts[i - 1];
    for (size_t i = 0; i < c->n_events; i++)
        c->sorted[starts[events[i].thread]++] = events[i];
    c->events = c->sorted;
    c->sorted = events;
    memory_release(starts);
}

/* Matches what there is, and keeps what is open. */
static void match(struct check_spans *c, size_t n_kept)
{
    struct span_tally tally = {0};
    size_t n = 0;

    group_threads(c);
    spans_match(&tally, c->events, c->n_events);
    check_flows(c);
    for (size_t i = 0; i < c->n_events; i++) {
        struct span_event *e = &c->events[i];

        if (!is_open(e))
            continue;
        if (n == n_kept) {
            report_open(c, e);
            continue;
        }
        if (span_kind_of(e) == SPAN_UNCLOSED)
            e->order = order_of(offset_of(e), SPAN_BEGIN);
        c->events[n] = *e;
        c->events[n++].end_ns = 0;
    }
    c->n_events = n;
    c->n_kept = n;
}

/* A small window stays in the cache. But events that are late, and complete spans with
 * flows in them, may stand far from what they belong to. */
static size_t window_of(const struct check_spans *c)
{
    bool is_near = !c->has_complete && c->n_flows == 0 &&
                   c->findings->rules[RULE_TIME_BACKWARDS].n == 0;

    return is_near && c->n_kept + c->threads.n < WINDOW_MIN / 2 ? WINDOW_MIN : WINDOW_MAX;
}

static uint32_t name_of(struct check_spans *c, const struct fxt_event *event)
{
    static const struct fxt_event other = {.name = {"(one of many names)", 19, 0}};

    if (event->name.data != NULL && event->name.size > 0 &&
        c->names.strings.n < NAMES_MAX)
        return name_cache_add(&c->names, event->name.data, event->name.size);
    return span_add_name(&c->names.strings, &c->room,
                         c->names.strings.n < NAMES_MAX ? event : &other);
}

static void add_span(struct check_spans *c, const struct fxt_record *record,
                     enum span_kind kind, uint32_t thread)
{
    uint64_t rate = record->provider->ticks_per_second;
    struct span_event event = {.thread = thread, .name = name_of(c, &record->event)};

    fxt_ticks_to_ns(record->event.timestamp, rate, &event.time_ns);
    if (kind == SPAN_COMPLETE) {
        fxt_ticks_to_ns(record->event.end_timestamp, rate, &event.end_ns);
        c->has_complete = true;
    }
    event.order = order_of(record->offset, kind);
    if (c->n_events >= window_of(c))
        match(c, WINDOW_MAX / 2);
    if (c->n_events == c->event_capacity) {
        memory_release(c->sorted);
        c->sorted = NULL;
    }
    MEMORY_ADD(c->events, c->n_events, c->event_capacity, event);
}

static void add_flow(struct check_spans *c, const struct fxt_record *record,
                     uint32_t thread)
{
    struct flow_event flow = {0, record->offset, thread};

    fxt_ticks_to_ns(record->event.timestamp, record->provider->ticks_per_second,
                    &flow.time_ns);
    if (c->n_flows >= window_of(c))
        match(c, WINDOW_MAX / 2);
    MEMORY_ADD(c->flows, c->n_flows, c->flow_capacity, flow);
}

/* ---- Operations and flows ---------------------------------------------------------- */

static void report_group(struct check_spans *c, enum rule rule,
                         const struct async_group *group, uint64_t offset)
{
    struct text *text = finding_begin(c->findings, rule, offset);

    if (text == NULL)
        return;
    add_name(text, &c->names.strings, group->name);
    text_printf(text, ", id %" PRIu64, group->id);
    finding_end(c->findings, rule);
}

static void report_operation(struct check_spans *c, const struct async_group *group,
                             const struct async_count *count)
{
    if (count->n_open > 0)
        report_group(c, RULE_ASYNC_UNCLOSED, group, count->first_begin);
    if (count->n_open < 0)
        report_group(c, RULE_ASYNC_UNOPENED, group, count->first_other);
}

static void report_flow(struct check_spans *c, const struct async_group *group,
                        const struct async_count *count)
{
    if (!count->has_begun && (count->n_open < 0 || count->n_steps > 0))
        report_group(c, RULE_FLOW_UNOPENED, group, count->first_other);
}

static void end_groups(struct check_spans *c, int kind)
{
    for (size_t i = 0; i < c->groups[kind].n; i++) {
        if (kind == FLOWS)
            report_flow(c, &c->groups[kind].groups[i], &c->counts[kind][i]);
        else
            report_operation(c, &c->groups[kind].groups[i], &c->counts[kind][i]);
    }
    async_groups_free(&c->groups[kind]);
    c->groups[kind] = (struct async_groups){.n = 0};
}

/* Drops operations that have ended. Where most have not, this is not repeated at once, as
 * it takes time for all of them. */
static void drop_ended(struct check_spans *c)
{
    struct async_groups *old = &c->groups[OPERATIONS];
    struct async_groups kept = {.n = 0};

    for (size_t i = 0; i < old->n; i++) {
        if (c->counts[OPERATIONS][i].n_open == 0)
            continue;
        c->counts[OPERATIONS][kept.n] = c->counts[OPERATIONS][i];
        async_groups_find(&kept, &old->groups[i]);
    }
    async_groups_free(old);
    *old = kept;
    c->next_drop = c->n_operations + OPEN_MAX / 16;
}

static struct async_count *find_count(struct check_spans *c, int kind,
                                      const struct async_group *group, uint64_t offset)
{
    struct async_groups *groups = &c->groups[kind];
    uint32_t number;
    size_t n;

    if (groups->n == OPEN_MAX && kind == OPERATIONS && c->n_operations >= c->next_drop)
        drop_ended(c);
    if (groups->n == OPEN_MAX) {
        number = async_groups_known(groups, group);
        if (number == UINT32_MAX)
            report_full(c, offset);
        return number < UINT32_MAX ? &c->counts[kind][number] : NULL;
    }
    n = groups->n;
    number = async_groups_find(groups, group);
    if (groups->n > n)
        MEMORY_ADD(c->counts[kind], n, c->count_capacity[kind],
                   (struct async_count){.first_begin = offset, .first_other = offset});
    return &c->counts[kind][number];
}

static void count_event(struct async_count *count, bool begins, bool ends,
                        uint64_t offset)
{
    if (begins) {
        count->first_begin = count->n_open++ == 0 ? offset : count->first_begin;
        count->has_begun = true;
    } else if (ends) {
        count->first_other = count->n_open-- == 0 ? offset : count->first_other;
    } else {
        count->n_steps++;
    }
}

static void add_operation(struct check_spans *c, const struct fxt_record *record)
{
    struct async_group group = {.process = record->event.thread.process,
                                .id = record->event.id,
                                .stream = record->provider->id,
                                .name = name_of(c, &record->event)};
    struct async_count *count;

    c->n_operations++;
    count = find_count(c, OPERATIONS, &group, record->offset);
    if (count != NULL)
        count_event(count, record->kind == FXT_EVENT_ASYNC_BEGIN,
                    record->kind == FXT_EVENT_ASYNC_END, record->offset);
}

static void add_flow_event(struct check_spans *c, const struct fxt_record *record)
{
    const struct fxt_event category = {.name = record->event.category};
    uint32_t name = name_of(c, &record->event);
    struct async_group group =
        async_group_of_flow(record->event.id, name, name_of(c, &category));
    struct async_count *count = find_count(c, FLOWS, &group, record->offset);

    if (count != NULL)
        count_event(count, record->kind == FXT_EVENT_FLOW_BEGIN,
                    record->kind == FXT_EVENT_FLOW_END, record->offset);
}

/* ---- Events ------------------------------------------------------------------------ */

static void check_thread_event(struct check_spans *c, const struct fxt_record *record)
{
    struct span_thread key = span_thread_of(&record->event.thread, record->provider->id);
    uint32_t thread;

    if (c->threads.n == THREADS_MAX) {
        report_full(c, record->offset);
        return;
    }
    thread = span_thread_set_find(&c->threads, &key);
    if (record->kind == FXT_EVENT_DURATION_BEGIN)
        add_span(c, record, SPAN_BEGIN, thread);
    else if (record->kind == FXT_EVENT_DURATION_END)
        add_span(c, record, SPAN_END, thread);
    else if (record->kind == FXT_EVENT_DURATION_COMPLETE)
        add_span(c, record, SPAN_COMPLETE, thread);
    else
        add_flow(c, record, thread);
}

void check_spans(struct check_spans *c, const struct fxt_record *record)
{
    if (record->type != FXT_RECORD_EVENT)
        return;
    switch (record->kind) {
    case FXT_EVENT_ASYNC_BEGIN:
    case FXT_EVENT_ASYNC_INSTANT:
    case FXT_EVENT_ASYNC_END:
        add_operation(c, record);
        break;
    case FXT_EVENT_FLOW_BEGIN:
    case FXT_EVENT_FLOW_STEP:
    case FXT_EVENT_FLOW_END:
        add_flow_event(c, record);
        check_thread_event(c, record);
        break;
    case FXT_EVENT_DURATION_BEGIN:
    case FXT_EVENT_DURATION_END:
    case FXT_EVENT_DURATION_COMPLETE:
        check_thread_event(c, record);
        break;
    default:
        break;
    }
}

void check_spans_end(struct check_spans *c)
{
    match(c, 0);
    end_groups(c, OPERATIONS);
    end_groups(c, FLOWS);
}

void check_spans_free(struct check_spans *c)
{
    span_thread_set_free(&c->threads);
    string_table_free(&c->names.strings);
    text_free(&c->room);
    memory_release(c->events);
    memory_release(c->sorted);
    memory_release(c->flows);
    for (int kind = OPERATIONS; kind <= FLOWS; kind++) {
        async_groups_free(&c->groups[kind]);
        memory_release(c->counts[kind]);
    }
}
