/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See spans_nest.h. First begins are matched with ends; then the spans are opened in the
 * order of their starts. Those that are open are in a list, the outermost first, from
 * which any can be taken out, and in a queue in the order of their ends; so the
 * time does not depend on how they overlap.
 */
#include "spans_nest.h"

#include "common/base/memory.h"
#include "common/base/priority_queue.h"
#include "common/base/sort.h"
#include "common/spans/span_match.h"

#define NONE SIZE_MAX

/* The neighbours of an open span, by their places among the spans. */
struct links {
    size_t outer;
    size_t inner;
};

struct nest {
    struct span_tally *tally;
    const struct span_thread *thread;
    const struct span_event *spans;
    size_t n;
    spans_emit_fn *emit;
    void *context;
    const size_t *n_frames;

    struct links *links;
    size_t outermost;
    size_t innermost;
    /* By their ends; of those that end together the innermost is first, which began
     * last. */
    struct priority_queue open;

    /* Until when all is emitted, and whether the innermost span is new since then. */
    uint64_t now_ns;
    uint64_t n_begun;
    uint64_t stack[SPANS_DEPTH_MAX];
};

/* ---- Begins and ends --------------------------------------------------------------- */

static size_t drop_ends(struct span_event *events, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (span_kind_of(&events[i]) != SPAN_END)
            events[kept++] = events[i];
    }
    return kept;
}

/* What encloses another span comes before it. */
static int order_spans(const void *left, const void *right)
{
    const struct span_event *a = (const struct span_event *)left;
    const struct span_event *b = (const struct span_event *)right;

    if (a->time_ns == b->time_ns && a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns ? -1 : 1;
    return span_order_times(left, right);
}

/* ---- Emitting ---------------------------------------------------------------------- */

static size_t max_depth(const struct nest *s)
{
    return *s->n_frames < SPANS_FRAMES_MAX ? SPANS_DEPTH_MAX : SPANS_DEPTH_MAX_IN_NEED;
}

/* Puts the stack of the open spans in place, leaf first, and returns how many names it
 * has. */
static size_t make_stack(struct nest *s)
{
    size_t max = max_depth(s);
    size_t n = s->open.n < max ? s->open.n : max;
    size_t at = s->outermost;

    for (size_t i = n; i > 0; i--) {
        s->stack[i - 1] = s->spans[at].name;
        at = s->links[at].inner;
    }
    return n;
}

/* Emits the time up to some moment. */
static void emit_until(struct nest *s, uint64_t to_ns)
{
    if (s->open.n > 0 && (to_ns > s->now_ns || s->n_begun > 0))
        s->emit(s->context, s->thread, s->stack, make_stack(s), s->now_ns, to_ns,
                s->n_begun);
    s->now_ns = to_ns;
    s->n_begun = 0;
}

/* ---- Open spans -------------------------------------------------------------------- */

static void open_span(struct nest *s, size_t span)
{
    s->links[span] = (struct links){.outer = s->innermost, .inner = NONE};
    if (s->innermost != NONE)
        s->links[s->innermost].inner = span;
    else
        s->outermost = span;
    s->innermost = span;
    priority_queue_push(&s->open, s->spans[span].end_ns, span);
    s->n_begun = 1;
    if (s->open.n > max_depth(s))
        s->tally->n_too_deep++;
}

static void close_span(struct nest *s, size_t span)
{
    struct links links = s->links[span];

    if (links.outer != NONE)
        s->links[links.outer].inner = links.inner;
    else
        s->outermost = links.inner;
    if (links.inner != NONE)
        s->links[links.inner].outer = links.outer;
    else
        s->innermost = links.outer;
    priority_queue_pop(&s->open);
}

static void close_until(struct nest *s, uint64_t time_ns)
{
    while (s->open.n > 0 && s->open.entries[0].key <= time_ns) {
        emit_until(s, s->open.entries[0].key);
        close_span(s, s->open.entries[0].item);
    }
}

static void sweep_spans(struct nest *s)
{
    for (size_t i = 0; i < s->n; i++) {
        close_until(s, s->spans[i].time_ns);
        emit_until(s, s->spans[i].time_ns);
        open_span(s, i);
    }
    close_until(s, UINT64_MAX);
}

void spans_nest(struct span_tally *tally, const struct span_thread *thread,
                struct span_event *events, size_t n, spans_emit_fn *emit, void *context,
                const size_t *n_frames)
{
    struct nest s = {
        .tally = tally,
        .thread = thread,
        .spans = events,
        .emit = emit,
        .context = context,
        .n_frames = n_frames,
        .outermost = NONE,
        .innermost = NONE,
    };

    spans_match(tally, events, n);
    s.n = drop_ends(events, n);
    SORT(events, s.n, order_spans);
    s.links = memory_allocate(s.n * sizeof(*s.links));
    sweep_spans(&s);
    memory_release(s.links);
    priority_queue_free(&s.open);
}
