/* SPDX-License-Identifier: BSD-2-Clause */
/* See tree.h: the lines. The spans that a line may be in are a stack. One that ends
 * before the spans in it stays there until it would be the innermost: so each is taken
 * out once, however they overlap. */
#include "tree.h"

#include <string.h>

#include <fxt/format.h>

#include "common/base/memory.h"
#include "common/base/quote.h"
#include "tools/fxtdump/plain.h"

/* Times of more than 10^5 seconds, and durations of more than 10^3, push the rest of
 * their line to the right. */
enum { TIME_COLUMN = 16, DURATION_COLUMN = 16 };

#define NS_PER_US ((uint64_t)1000)
#define NS_PER_MS ((uint64_t)1000000)
#define NS_PER_SECOND ((uint64_t)1000000000)

/* ---- Columns ----------------------------------------------------------------------- */

static void add_spaces(struct text *out, size_t n)
{
    memset(text_room(out, n), ' ', n);
    out->size += n;
}

/* Adds what is in `cell`, aligned to the right, and empties it. */
static void add_cell(struct text *out, struct text *cell, size_t width)
{
    if (cell->size < width)
        add_spaces(out, width - cell->size);
    text_add(out, cell->data, cell->size);
    cell->size = 0;
}

/* As many decimals as nanoseconds need: "12.345 us". */
static void add_duration(struct text *out, uint64_t ns)
{
    if (ns < NS_PER_US)
        text_printf(out, "%u ns", (unsigned)ns);
    else if (ns < NS_PER_MS)
        text_printf(out, "%u.%03u us", (unsigned)(ns / NS_PER_US),
                    (unsigned)(ns % NS_PER_US));
    else if (ns < NS_PER_SECOND)
        text_printf(out, "%u.%06u ms", (unsigned)(ns / NS_PER_MS),
                    (unsigned)(ns % NS_PER_MS));
    else {
        plain_ns(out, ns);
        text_str(out, " s");
    }
}

static bool is_span(const struct tree_event *event)
{
    return event->kind == FXT_EVENT_DURATION_BEGIN ||
           event->kind == FXT_EVENT_DURATION_COMPLETE;
}

/* A `>` is in front of what is only known to be at least that. */
static void add_columns(struct tree *t, struct text *out, const struct tree_event *event)
{
    struct text *cell = &t->room;
    bool is_open = event->is_unmatched || event->is_end_late || event->is_late;

    cell->size = 0;
    if (event->is_late)
        text_char(cell, '>');
    plain_ns(cell, event->time_ns);
    add_cell(out, cell, TIME_COLUMN);
    if (is_span(event) || event->kind == FXT_EVENT_ASYNC_BEGIN) {
        if (is_open)
            text_char(cell, '>');
        add_duration(cell, event->end_ns - event->time_ns);
    }
    add_cell(out, cell, DURATION_COLUMN);
    text_str(out, "  ");
}

static void add_indent(struct text *out, size_t depth)
{
    if (depth <= TREE_MAX_INDENT)
        add_spaces(out, 2 * depth);
    else
        text_printf(out, "[%zu] ", depth);
}

/* ---- One line ---------------------------------------------------------------------- */

static struct fxt_string string_of(const struct tree *t, uint32_t number)
{
    struct string string;

    if ((number & TREE_REF) != 0)
        return (struct fxt_string){.ref = number & ~TREE_REF};
    string = string_table_get(&t->strings, number);
    return (struct fxt_string){.data = string.size > 0 ? string.data : "",
                               .size = (uint32_t)string.size};
}

/* What a line begins with; NULL for spans. */
static const char *word_of(const struct tree_event *event)
{
    switch (event->kind) {
    case FXT_EVENT_INSTANT:
        return "instant";
    case FXT_EVENT_COUNTER:
        return "counter";
    case FXT_EVENT_DURATION_END:
        return "end";
    case FXT_EVENT_ASYNC_BEGIN:
        return "async";
    case FXT_EVENT_ASYNC_INSTANT:
        return "async instant";
    case FXT_EVENT_ASYNC_END:
        return "async end";
    case FXT_EVENT_FLOW_BEGIN:
        return "flow begin";
    case FXT_EVENT_FLOW_STEP:
        return "flow step";
    case FXT_EVENT_FLOW_END:
        return "flow end";
    case TREE_LOG:
        return "log";
    default:
        return NULL;
    }
}

static bool has_id(const struct tree_event *event)
{
    return event->kind >= FXT_EVENT_ASYNC_BEGIN && event->kind <= FXT_EVENT_FLOW_END;
}

static void add_names(const struct tree *t, struct text *out,
                      const struct print_context *context, const struct tree_event *event)
{
    struct fxt_string category = string_of(t, event->category);
    struct fxt_string name = string_of(t, event->name);

    if (event->kind == TREE_LOG) {
        plain_quoted(out, &name);
        return;
    }
    if (word_of(event) != NULL)
        text_char(out, ' ');
    plain_style(out, context, PLAIN_BOLD);
    if (category.data != NULL && category.size == 0)
        plain_name(out, &name);
    else
        plain_key(out, &category, &name);
    plain_style_end(out, context);
    if (has_id(event) || event->id != 0)
        plain_u64(out, "id", event->id);
}

static void add_remark(struct text *out, const struct print_context *context,
                       const struct tree_event *event)
{
    const char *remark = NULL;

    if (event->kind == TREE_BACKWARDS)
        remark = " (ends before it begins)";
    else if (event->is_unmatched &&
             (is_span(event) || event->kind == FXT_EVENT_ASYNC_BEGIN))
        remark = " (never ended)";
    else if (event->is_unmatched)
        remark = " (never began)";
    if (remark == NULL)
        return;
    plain_style(out, context, PLAIN_ERROR);
    text_str(out, remark);
    plain_style_end(out, context);
}

static void add_line(struct tree *t, struct text *out,
                     const struct print_context *context, const struct tree_event *event)
{
    const char *word = word_of(event);

    add_columns(t, out, event);
    add_indent(out, t->n_open);
    if (word != NULL) {
        plain_style(out, context, PLAIN_KIND);
        text_str(out, word);
        plain_style_end(out, context);
    }
    add_names(t, out, context, event);
    if (event->kind != TREE_LOG) {
        text_str(out, t->args.data + event->args);
        text_str(out, t->args.data + event->end_args);
    }
    add_remark(out, context, event);
    plain_end(out);
}

/* ---- Headings ---------------------------------------------------------------------- */

static void add_object(const struct tree *t, struct text *out, const char *what,
                       uint32_t type, uint64_t koid)
{
    struct string name = object_names_find(&t->objects, type, koid);

    text_printf(out, "%s %llu", what, (unsigned long long)koid);
    if (name.size == 0)
        return;
    text_char(out, ' ');
    quote_quoted(out, name.data, name.size);
}

static void add_heading(const struct tree *t, struct text *out,
                        const struct print_context *context,
                        const struct span_thread *thread)
{
    plain_style(out, context, PLAIN_BOLD);
    if (thread->unknown_ref != 0) {
        text_printf(out, "thread #%u, which was never registered", thread->unknown_ref);
    } else {
        add_object(t, out, "process", FXT_OBJECT_PROCESS, thread->process);
        text_str(out, ", ");
        add_object(t, out, "thread", FXT_OBJECT_THREAD, thread->thread);
    }
    plain_style_end(out, context);
    text_char(out, '\n');
}

/* ---- All --------------------------------------------------------------------------- */

static void open_span(struct tree *t, const struct tree_event *event)
{
    bool is_open = event->kind == FXT_EVENT_DURATION_BEGIN && event->is_unmatched;

    MEMORY_ADD(t->open, t->n_open, t->open_capacity,
               is_open ? UINT64_MAX : event->end_ns);
}

bool tree_print_next(struct tree *t, struct text *out,
                     const struct print_context *context)
{
    const struct tree_event *event;

    if (t->next == t->n)
        return false;
    event = &t->events[t->next];
    if (t->next == 0 || event->thread != event[-1].thread) {
        if (t->next > 0)
            text_char(out, '\n');
        add_heading(t, out, context, &t->threads.threads[event->thread]);
        t->n_open = 0;
    }
    while (t->n_open > 0 && t->open[t->n_open - 1] <= event->time_ns)
        t->n_open--;
    add_line(t, out, context, event);
    if (is_span(event))
        open_span(t, event);
    t->next++;
    return true;
}

void tree_print_rest(const struct tree *t, struct text *out)
{
    if (t->n > 0 && t->n_others + t->n_faults > 0)
        text_char(out, '\n');
    if (t->n_others > 0) {
        text_count(out, t->n_others, "record");
        text_str(out, " of other types: see --stats\n");
    }
    if (t->n_faults > 0) {
        text_count(out, t->n_faults, "error");
        text_str(out, ": ");
        text_count(out, t->n_skipped, "byte");
        text_str(out, " could not be read\n");
    }
}
