/* SPDX-License-Identifier: BSD-2-Clause */
/* See span_sums.h. */
#include "span_sums.h"

#include "common/base/memory.h"
#include "common/base/sort.h"
#include "common/spans/span_match.h"

/* A span counts as a whole if any of it is in the window. */
static bool is_wanted(const struct span_sums *s, uint64_t from_ns, uint64_t to_ns)
{
    return s->window == NULL ||
           (to_ns >= s->window->first_ns && from_ns <= s->window->last_ns);
}

/* ---- Self -------------------------------------------------------------------------- */

/* Until it is certain that the thread's spans are nested. */
static void add_self(struct span_sums *s, uint32_t name, uint64_t ns)
{
    struct span_self *self = &s->self[name];

    if (ns == 0)
        return;
    if (!self->is_touched) {
        MEMORY_ADD(s->touched, s->n_touched, s->touched_capacity, name);
        self->is_touched = true;
    }
    self->ns = add_times(self->ns, ns);
}

static void settle_self(struct span_sums *s, bool is_kept)
{
    for (size_t i = 0; i < s->n_touched; i++) {
        struct span_self *self = &s->self[s->touched[i]];
        struct label *label = &s->labels->all[s->touched[i]];

        if (is_kept)
            label->self_ns = add_times(label->self_ns, self->ns);
        *self = (struct span_self){.ns = 0};
    }
    s->n_touched = 0;
}

/* ---- In the order of ends ---------------------------------------------------------- */

/* Of two equal spans, the one that is later in the input is in the other one: that which
 * was taken for the innermost is not. */
static void swap_self(struct span_sums *s, uint64_t order, uint32_t name)
{
    uint64_t self = s->last.self_ns;

    if (self > 0)
        s->self[s->last.name].ns -= self;
    add_self(s, name, self);
    s->last = (struct last_span){order, self, name};
}

/* A span ends, and all that it encloses has ended before. If that is not so, the
 * thread's spans have to be sorted. The span comes as numbers, since a processor waits
 * when it loads two at once that were just stored one by one. */
static void nest_span(struct span_sums *s, uint64_t from_ns, uint64_t to_ns,
                      uint64_t order, uint32_t name)
{
    const struct span_root *last = s->n_roots > 0 ? &s->roots[s->n_roots - 1] : NULL;
    uint64_t self = to_ns - from_ns;

    if (!s->is_nested)
        return;
    if (last != NULL && to_ns < last->to_ns) {
        s->is_nested = false;
        return;
    }
    if (last != NULL && last->from_ns == from_ns && last->to_ns == to_ns &&
        s->last.order < order) {
        swap_self(s, order, name);
        return;
    }
    for (bool is_last = true;
         s->n_roots > 0 && s->roots[s->n_roots - 1].from_ns >= from_ns; is_last = false) {
        struct span_root root = s->roots[--s->n_roots];

        /* Which of these two is in the other one is not known here. */
        if (!is_last && root.from_ns < root.to_ns && root.from_ns == from_ns &&
            root.to_ns == to_ns)
            s->is_nested = false;
        self -= root.to_ns - root.from_ns;
    }
    if (s->n_roots > 0 && s->roots[s->n_roots - 1].to_ns > from_ns)
        s->is_nested = false;
    s->roots[s->n_roots++] = (struct span_root){from_ns, to_ns};
    if (!is_wanted(s, from_ns, to_ns))
        self = 0;
    s->last = (struct last_span){order, self, name};
    add_self(s, name, self);
}

/* ---- One pass ---------------------------------------------------------------------- */

static void count_span(struct span_sums *s, const struct span_event *span)
{
    if (!is_wanted(s, span->time_ns, span->end_ns)) {
        s->n_other_time++;
        return;
    }
    label_add(&s->labels->all[span->name], span->end_ns - span->time_ns);
    if (span_kind_of(span) == SPAN_UNCLOSED)
        s->labels->all[span->name].n_unfinished++;
    if (!s->has_times || span->time_ns < s->first_ns)
        s->first_ns = span->time_ns;
    if (!s->has_times || span->end_ns > s->last_ns)
        s->last_ns = span->end_ns;
    s->has_times = true;
}

static void open_span(struct span_sums *s, const struct span_event *begin)
{
    MEMORY_ADD(s->open, s->n_open, s->open_capacity,
               (struct open_begin){begin->time_ns, begin->order, begin->name});
}

static void close_span(struct span_sums *s, uint64_t end_ns, enum span_kind kind)
{
    struct open_begin begin = s->open[--s->n_open];
    struct span_event span = {.time_ns = begin.time_ns,
                              .end_ns = end_ns,
                              .order = begin.order | kind,
                              .name = begin.label};

    count_span(s, &span);
    nest_span(s, span.time_ns, span.end_ns, span.order, span.name);
}

/* The begins and ends are in the order of time. */
static void add_in_order(struct span_sums *s, const struct span_log *log)
{
    struct span_log_reader reader = span_log_read(log);
    struct span_event event;
    uint64_t last_ns = 0;

    while (span_log_next(&reader, &event)) {
        last_ns = event.end_ns > last_ns ? event.end_ns : last_ns;
        switch (span_kind_of(&event)) {
        case SPAN_BEGIN:
        case SPAN_UNCLOSED:
            open_span(s, &event);
            break;
        case SPAN_END:
            if (s->n_open > 0)
                close_span(s, event.time_ns, SPAN_BEGIN);
            else
                s->tally.n_unopened++;
            break;
        case SPAN_COMPLETE:
            count_span(s, &event);
            nest_span(s, event.time_ns, event.end_ns, event.order, event.name);
            break;
        }
    }
    s->tally.n_unclosed += s->n_open;
    while (s->n_open > 0)
        close_span(s, last_ns, SPAN_UNCLOSED);
}

/* ---- In the order of begins -------------------------------------------------------- */

/* An open span, and for how long it was the innermost so far. */
struct sorted_span {
    struct span_event span;
    uint64_t self_ns;
};

/* What encloses another span comes before it. */
static int order_spans(const void *left, const void *right)
{
    const struct span_event *a = (const struct span_event *)left;
    const struct span_event *b = (const struct span_event *)right;

    if (a->time_ns == b->time_ns && a->end_ns != b->end_ns)
        return order_numbers(b->end_ns, a->end_ns);
    return span_order_times(left, right);
}

/* Takes the innermost spans that have ended out of the open ones, and counts the time for
 * which each was the innermost. One that has ended before the spans in it had stays among
 * them until it would be the innermost. */
static void close_until(struct span_sums *s, struct sorted_span *open, size_t *n,
                        uint64_t *now_ns, uint64_t time_ns)
{
    while (*n > 0) {
        struct sorted_span *innermost = &open[*n - 1];
        uint64_t to_ns =
            innermost->span.end_ns < time_ns ? innermost->span.end_ns : time_ns;

        if (to_ns > *now_ns) {
            innermost->self_ns += to_ns - *now_ns;
            *now_ns = to_ns;
        }
        if (innermost->span.end_ns > time_ns)
            return;
        if (is_wanted(s, innermost->span.time_ns, innermost->span.end_ns))
            add_self(s, innermost->span.name, innermost->self_ns);
        (*n)--;
    }
}

static void nest_sorted(struct span_sums *s, const struct span_event *spans, size_t n)
{
    struct sorted_span *open = NULL;
    size_t capacity = 0;
    size_t n_open = 0;
    uint64_t now_ns = 0;

    for (size_t i = 0; i < n; i++) {
        close_until(s, open, &n_open, &now_ns, spans[i].time_ns);
        now_ns = spans[i].time_ns;
        MEMORY_ADD(open, n_open, capacity, (struct sorted_span){spans[i], 0});
    }
    close_until(s, open, &n_open, &now_ns, UINT64_MAX);
    memory_release(open);
}

/* Returns how many spans there are, which are at the front. */
static size_t match_sorted(struct span_sums *s, struct span_event *events, size_t n)
{
    size_t n_spans = 0;

    spans_match(&s->tally, events, n);
    for (size_t i = 0; i < n; i++) {
        if (span_kind_of(&events[i]) != SPAN_END)
            events[n_spans++] = events[i];
    }
    return n_spans;
}

/* `is_counted`: all but the time for which they are innermost is known already. */
static void add_sorted(struct span_sums *s, const struct span_log *log, bool is_counted)
{
    struct span_event *events =
        (struct span_event *)memory_reserve((size_t)log->n * sizeof(*events));
    struct span_log_reader reader = span_log_read(log);
    struct span_tally tally = s->tally;
    size_t n = 0;

    while (span_log_next(&reader, &events[n]))
        n++;
    n = match_sorted(s, events, n);
    if (is_counted)
        s->tally = tally;
    for (size_t i = 0; i < n && !is_counted; i++)
        count_span(s, &events[i]);
    SORT(events, n, order_spans);
    nest_sorted(s, events, n);
    memory_release(events);
}

/* ---- All --------------------------------------------------------------------------- */

static void make_self(struct span_sums *s)
{
    if (s->n_self == s->labels->n)
        return;
    memory_release(s->self);
    s->n_self = s->labels->n;
    s->self = memory_allocate(s->n_self * sizeof(*s->self));
}

/* For as many as there can be, since pages that are not used cost nothing, and an array
 * that grows is there twice while it is moved. */
static void make_roots(struct span_sums *s, size_t n)
{
    if (n <= s->root_capacity)
        return;
    memory_release(s->roots);
    s->root_capacity = n;
    s->roots = (struct span_root *)memory_reserve(n * sizeof(*s->roots));
}

void span_sums_add(struct span_sums *s, const struct span_log *log)
{
    if (log->n == 0)
        return;
    make_self(s);
    make_roots(s, (size_t)log->n);
    s->n_roots = 0;
    s->is_nested = true;
    if (!log->is_unsorted)
        add_in_order(s, log);
    if (!log->is_unsorted && s->is_nested) {
        settle_self(s, true);
        return;
    }
    settle_self(s, false);
    add_sorted(s, log, !log->is_unsorted);
    settle_self(s, true);
}

void span_sums_free(struct span_sums *s)
{
    memory_release(s->open);
    memory_release(s->roots);
    memory_release(s->self);
    memory_release(s->touched);
}
