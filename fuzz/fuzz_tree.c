/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of any bytes as fxtdump --tree prints them: a line for each event but for ends
 * of spans, which are in the line of their begin, in the order of time, and nothing in it
 * that a terminal would obey. The last byte says how the input is read, and whether only
 * a part of the time is printed.
 */
#include <fxt/format.h>

#include "read_input.h"
#include "tools/fxtdump/tree/tree.h"

struct target {
    struct tree tree;
    struct print_context context;
    size_t n_taken;
};

static int take_record(void *context, const struct fxt_record *record)
{
    struct target *t = (struct target *)context;

    t->n_taken += !record->unknown &&
                  (record->type == FXT_RECORD_EVENT || record->type == FXT_RECORD_LOG);
    tree_take(&t->tree, &t->context, record);
    return 0;
}

static int take_error(void *context, const struct fxt_error *error)
{
    struct target *t = (struct target *)context;
    struct fault fault = {.offset = error->offset, .size = 8};

    if (error->severity >= FXT_ERROR)
        tree_take_fault(&t->tree, &fault);
    return 0;
}

static void read_all(struct target *t, const uint8_t *data, size_t size, uint8_t how)
{
    t->context.payload = how >> 3 & 1;
    t->context.several_regions = how >> 4 & 1;
    read_input(data, size, how, take_record, take_error, t);
}

/* Each end that has no line is that of one begin. */
static void check_events(const struct target *t)
{
    const struct tree *tree = &t->tree;
    size_t n_ended = 0;

    for (size_t i = 0; i < tree->n; i++) {
        const struct tree_event *event = &tree->events[i];

        n_ended += event->kind == FXT_EVENT_DURATION_BEGIN && !event->is_unmatched;
        require(event->end_ns >= event->time_ns, "nothing ends before it begins");
        require(i == 0 || event->thread != event[-1].thread ||
                    event->time_ns >= event[-1].time_ns,
                "the events of a thread are in the order of time");
    }
    require(tree->n + n_ended == t->n_taken, "all events are printed");
}

static size_t count_lines(const struct text *lines)
{
    size_t n = 0;

    for (size_t i = 0; i < lines->size; i++) {
        unsigned char c = (unsigned char)lines->data[i];

        n += c == '\n';
        require(c == '\n' || (c >= ' ' && c != 0x7f), "no control characters");
    }
    require(lines->size == 0 || lines->data[lines->size - 1] == '\n', "whole lines");
    return n;
}

static void print_all(struct target *t)
{
    struct text lines = {NULL, 0, 0};
    size_t n = 0;

    for (; tree_print_next(&t->tree, &lines, &t->context); n++) {
        require(count_lines(&lines) <= 3, "a line for each event");
        lines.size = 0;
    }
    require(n == t->tree.n, "each event is printed once");
    tree_print_rest(&t->tree, &lines);
    count_lines(&lines);
    text_free(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct filter everything;
    static const struct filter some_time = {
        .is_set = true, .by_time = true, .first_ns = 100, .last_ns = 5000};
    struct target t = {.n_taken = 0};
    bool is_part;

    if (size == 0)
        return 0;
    is_part = data[size - 1] >> 5 & 1;
    tree_init(&t.tree, is_part ? &some_time : &everything);
    read_all(&t, data, size - 1, data[size - 1]);
    tree_finish(&t.tree);
    if (!is_part)
        check_events(&t);
    print_all(&t);
    tree_clear(&t.tree);
    return 0;
}
