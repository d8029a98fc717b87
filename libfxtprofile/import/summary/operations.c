/* SPDX-License-Identifier: BSD-2-Clause */
/* See operations.h. */
#include "operations.h"

#include "common/base/memory.h"
#include "common/base/sort.h"
#include "common/spans/span_match.h"

/* ---- Taking ------------------------------------------------------------------------ */

void operations_add(struct operations *o, const struct operation_event *event)
{
    if (o->n == UINT32_MAX)
        table_too_many();
    MEMORY_ADD(o->events, o->n, o->capacity, *event);
    o->labels.all[event->label].n_events++;
}

/* ---- Asynchronous operations ------------------------------------------------------- */

/* One that has no end counts, but not in the times. */
static void add_operation(struct operations *o, const struct operations_output *output,
                          const struct operation_event *begin, uint64_t to_ns,
                          bool is_ended)
{
    struct label *label = &o->labels.all[begin->label];

    if (!output->wants(output->context, begin->thread, begin->time_ns, to_ns))
        return;
    if (is_ended) {
        label_add(label, to_ns - begin->time_ns);
        return;
    }
    label->count++;
    label->n_unfinished++;
}

void operations_add_async(struct operations *o, struct operations_output *output)
{
    struct span_event *spans = (struct span_event *)memory_reserve(o->n * sizeof(*spans));
    struct span_tally tally = {.n_unopened = 0};

    for (size_t i = 0; i < o->n; i++) {
        const struct operation_event *event = &o->events[i];
        bool is_begin = event->kind == OPERATION_BEGIN;

        spans[i] = (struct span_event){.time_ns = event->time_ns,
                                       .order = (uint64_t)i << 2 |
                                                (is_begin ? SPAN_BEGIN : SPAN_END),
                                       .thread = event->group};
    }
    spans_match(&tally, spans, o->n);
    for (size_t i = 0; i < o->n; i++) {
        enum span_kind kind = span_kind_of(&spans[i]);

        if (kind != SPAN_END)
            add_operation(o, output, &o->events[spans[i].order >> 2], spans[i].end_ns,
                          kind == SPAN_BEGIN);
    }
    output->n_unopened += tally.n_unopened;
    memory_release(spans);
}

/* ---- Flows ------------------------------------------------------------------------- */

static bool next_time(const void *context, struct sort_row *rows, size_t n_rows,
                      uint64_t n)
{
    const struct operation_event *events = (const struct operation_event *)context;

    for (size_t i = 0; i < n_rows; i++)
        rows[i].key = n == 0 ? events[rows[i].item].time_ns : 0;
    return n == 0;
}

/* By their groups, then in the order of time and of the input. */
static struct sort_row *sort_events(const struct operations *o)
{
    struct sort_row *rows = (struct sort_row *)memory_reserve(o->n * sizeof(*rows));

    for (size_t i = 0; i < o->n; i++)
        rows[i] = (struct sort_row){.key = o->events[i].group, .item = (uint32_t)i};
    sort_rows(1, rows, o->n, next_time, o->events);
    return rows;
}

/* From a begin to the event before the next begin, or to an end. */
static void add_flow(struct operations *o, const struct operations_output *output,
                     const struct sort_row *rows, size_t n)
{
    const struct operation_event *begin = &o->events[rows[0].item];
    const struct operation_event *last = &o->events[rows[n - 1].item];
    struct label *label = &o->labels.all[begin->label];

    if (!output->wants(output->context, begin->thread, begin->time_ns, last->time_ns))
        return;
    for (size_t i = 1; i < n; i++)
        time_list_add(&label->steps, o->events[rows[i].item].time_ns -
                                         o->events[rows[i - 1].item].time_ns);
    if (last->kind == OPERATION_END) {
        label_add(label, last->time_ns - begin->time_ns);
        return;
    }
    label->count++;
    label->n_unfinished++;
}

static void add_flow_group(struct operations *o, struct operations_output *output,
                           const struct sort_row *rows, size_t n)
{
    size_t last;

    for (size_t first = 0; first < n; first = last) {
        last = first + 1;
        if (o->events[rows[first].item].kind != OPERATION_BEGIN) {
            output->n_unopened++;
            continue;
        }
        while (last < n && o->events[rows[last].item].kind == OPERATION_STEP)
            last++;
        last += last < n && o->events[rows[last].item].kind == OPERATION_END;
        add_flow(o, output, rows + first, last - first);
    }
}

void operations_add_flows(struct operations *o, struct operations_output *output)
{
    struct sort_row *rows = sort_events(o);
    size_t last;

    for (size_t first = 0; first < o->n; first = last) {
        uint32_t group = o->events[rows[first].item].group;

        for (last = first + 1; last < o->n && o->events[rows[last].item].group == group;)
            last++;
        add_flow_group(o, output, rows + first, last - first);
    }
    memory_release(rows);
}

void operations_free(struct operations *o)
{
    memory_release(o->events);
    async_groups_free(&o->groups);
    *o = (struct operations){.n = 0};
}
