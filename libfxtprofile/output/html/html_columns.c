/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns of numbers in a page: see html.h. */
#include "html.h"

/* ---- Numbers ----------------------------------------------------------------------- */

static inline void add_signed(struct text *text, int64_t number)
{
    text_varint(text, (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0));
}

struct text *html_begin_column(struct html *h, const char *name, size_t n)
{
    if (h->names.size > 0)
        text_char(&h->names, ',');
    text_printf(&h->names, "[\"%s\",%zu]", name, n);
    return &h->columns;
}

/* ---- Tables ------------------------------------------------------------------------ */

static void add_tables(struct html *h)
{
    const struct html_tables *t = &h->tables;
    struct text *parents;

    HTML_ADD_COLUMN(h, "function.name", t->functions, t->n_functions, name);
    HTML_ADD_COLUMN(h, "function.module", t->functions, t->n_functions, module);
    HTML_ADD_COLUMN(h, "function.file", t->functions, t->n_functions, file);
    HTML_ADD_COLUMN(h, "function.line", t->functions, t->n_functions, line);
    HTML_ADD_COLUMN(h, "function.kind", t->functions, t->n_functions, kind);
    HTML_ADD_COLUMN(h, "frame.function", t->frames, t->n_frames, function);
    HTML_ADD_COLUMN(h, "frame.file", t->frames, t->n_frames, file);
    HTML_ADD_COLUMN(h, "frame.line", t->frames, t->n_frames, line);
    HTML_ADD_COLUMN(h, "frame.inlined", t->frames, t->n_frames, is_inlined);
    HTML_ADD_COLUMN(h, "node.frame", t->tree.nodes, t->tree.n_nodes, frame);
    /* How far before it the caller is; 0 without a caller. */
    parents = html_begin_column(h, "node.parent", t->tree.n_nodes);
    for (size_t i = 0; i < t->tree.n_nodes; i++) {
        uint32_t parent = t->tree.nodes[i].prefix;

        text_varint(parents, parent != STACK_TREE_NONE ? i - parent : 0);
    }
}

/* ---- Samples ----------------------------------------------------------------------- */

/* Samples of other events than the chosen one do not count. */
static bool is_of_value(const struct html_side *side, size_t sample)
{
    const struct profile *p = side->profile;

    return !p->has_events || p->values[sample * p->n_types + side->value_type] != 0;
}

/* Stack, lane and CPU (0 where it is not known, else one more) of each sample, how often
 * it was seen and what that weighs. */
static void add_samples(struct html *h, const struct html_side *side, const char *prefix)
{
    const struct profile *p = side->profile;
    struct text name = {NULL, 0, 0};
    size_t at;
    struct text *column;

    text_str(&name, prefix);
    at = name.size;
#define BEGIN(suffix)                                                                    \
    (name.size = at, text_str(&name, suffix), text_char(&name, '\0'),                    \
     html_begin_column(h, name.data, p->n_samples))
    column = BEGIN("node");
    for (size_t i = 0; i < p->n_samples; i++)
        text_varint(column, (side->leaves[p->samples[i].stack] + 1) & UINT32_MAX);
    column = BEGIN("lane");
    for (size_t i = 0; i < p->n_samples; i++)
        text_varint(column, tracks_of_sample(&side->tracks, i));
    column = BEGIN("cpu");
    for (size_t i = 0; i < p->n_samples; i++)
        text_varint(column, (p->labels[p->samples[i].labels].cpu + 1) & UINT32_MAX);
    column = BEGIN("count");
    for (size_t i = 0; i < p->n_samples; i++)
        text_varint(column, is_of_value(side, i) ? profile_count(p, i) : 0);
    column = BEGIN("value");
    for (size_t i = 0; i < p->n_samples; i++)
        add_signed(column, p->values[i * p->n_types + side->value_type]);
#undef BEGIN
    text_free(&name);
}

/* ---- Drops ------------------------------------------------------------------------- */

uint64_t html_start(const struct html *h)
{
    const struct profile *p = h->now.profile;
    uint64_t start = UINT64_MAX;

    if (p->is_timeline && p->n_moments > 0)
        start = p->moments[0].time_ns;
    else if (p->has_times && p->n_samples > 0)
        start = p->labels[p->samples[0].labels].time_ns;
    if (h->events.first_ns < start)
        start = h->events.first_ns;
    return start != UINT64_MAX ? start : 0;
}

static size_t count_drops(const struct profile_events *events)
{
    size_t n = 0;

    for (size_t i = 0; i < events->n; i++)
        n += events->events[i].kind == PROFILE_EVENT_DROPS;
    return n;
}

/* When samplers had no room. */
static void add_drops(struct html *h)
{
    const struct profile_events *events = &h->now.profile->events;
    size_t n = count_drops(events);
    uint64_t last = html_start(h);
    struct text *column;

    if (n == 0)
        return;
    column = html_begin_column(h, "drops.time", n);
    for (size_t i = 0; i < events->n; i++) {
        if (events->events[i].kind != PROFILE_EVENT_DROPS)
            continue;
        text_varint(column, events->events[i].time_ns - last);
        last = events->events[i].time_ns;
    }
    column = html_begin_column(h, "drops.duration", n);
    for (size_t i = 0; i < events->n; i++) {
        if (events->events[i].kind == PROFILE_EVENT_DROPS)
            text_varint(column, events->events[i].end_ns - events->events[i].time_ns);
    }
}

/* ---- Points ------------------------------------------------------------------------ */

/* Of series of heaps: when each was since recording began, and what there was. */
static void add_points(struct html *h)
{
    const struct heap_point *points = h->now.profile->heap_points;
    size_t n = h->now.profile->n_heap_points;

    if (n == 0)
        return;
    HTML_ADD_COLUMN(h, "point.number", points, n, number);
    HTML_ADD_COLUMN(h, "point.time", points, n, since_start_ns);
    HTML_ADD_COLUMN(h, "point.live.count", points, n, amounts.bytes);
    HTML_ADD_COLUMN(h, "point.blocks.count", points, n, amounts.objects);
    HTML_ADD_COLUMN(h, "point.allocated.count", points, n, amounts.alloc_bytes);
    HTML_ADD_COLUMN(h, "point.shown", points, n, is_shown);
}

void html_add_columns(struct html *h)
{
    add_tables(h);
    add_samples(h, &h->now, "sample.");
    add_drops(h);
    add_points(h);
    html_add_event_tables(h);
    if (h->before.profile != NULL)
        add_samples(h, &h->before, "before.");
}
