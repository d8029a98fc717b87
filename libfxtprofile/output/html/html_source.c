/* SPDX-License-Identifier: BSD-2-Clause */
/* The source of the hottest functions, as far as its files are found: see html.h. */
#include <inttypes.h>
#include <string.h>

#include "common/base/io/source_text.h"
#include "common/base/memory.h"
#include "common/base/quote.h"
#include "common/base/sort.h"
#include "html.h"

/* Of how many functions; how much of one; how much at all; and how many lines around
 * those that were seen. */
enum { N_FUNCTIONS_MAX = 60, N_LINES_MAX = 400, ALL_BYTES_MAX = 512 << 10, N_AROUND = 4 };

/* A function with its weight, and which of its lines were seen. */
struct hot {
    uint32_t function;
    uint64_t weight;
    uint32_t first_line;
    uint32_t last_line;
};

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static void weigh(struct hot *hot, const struct html *h)
{
    const struct html_side *side = &h->now;
    const struct profile *p = side->profile;

    for (size_t i = 0; i < p->n_samples; i++) {
        uint32_t leaf = side->leaves[p->samples[i].stack];
        uint64_t weight = magnitude(p->values[i * p->n_types + side->value_type]);
        struct hot *to;

        if (leaf == STACK_TREE_NONE)
            continue;
        to = &hot[h->tables.frames[h->tables.tree.nodes[leaf].frame].function];
        to->weight = weight > UINT64_MAX - to->weight ? UINT64_MAX : to->weight + weight;
    }
}

static void find_lines(struct hot *hot, const struct html_tables *t)
{
    for (size_t i = 0; i < t->n_frames; i++) {
        const struct html_frame *frame = &t->frames[i];
        struct hot *to = &hot[frame->function];

        if (frame->line == 0 || frame->file != t->functions[frame->function].file)
            continue;
        if (to->first_line == 0 || frame->line < to->first_line)
            to->first_line = frame->line;
        if (frame->line > to->last_line)
            to->last_line = frame->line;
    }
}

SORT_ORDER(order_hot, struct hot, BY_DESCENDING(weight) || BY(function));

/* From the function's first line, if that is near. */
static void widen(struct hot *hot, const struct html_function *function)
{
    if (function->line > 0 && function->line < hot->first_line &&
        hot->last_line - function->line < N_LINES_MAX)
        hot->first_line = function->line;
    else
        hot->first_line -= hot->first_line > N_AROUND ? N_AROUND : hot->first_line - 1;
    if (hot->last_line - hot->first_line >= N_LINES_MAX)
        hot->last_line = hot->first_line + N_LINES_MAX - 1;
    else if (hot->last_line < UINT32_MAX - N_AROUND)
        hot->last_line += N_AROUND;
}

/* Returns how many bytes of source there were, 0 if the file was not found. */
static size_t add_source(struct html *h, struct source_texts *sources, struct hot *hot,
                         bool is_first)
{
    const struct html_function *function = &h->tables.functions[hot->function];
    struct string file = string_table_get(&h->tables.strings, function->file);
    struct text line = {NULL, 0, 0};
    size_t n_bytes = 0;

    widen(hot, function);
    for (uint32_t i = hot->first_line; i <= hot->last_line; i++) {
        line.size = 0;
        if (!source_texts_add_whole(
                sources, (struct fxt_string){.data = file.data, .size = file.size}, i,
                &line))
            break;
        if (i == hot->first_line)
            text_printf(&h->json,
                        "%s\n{\"function\":%" PRIu32 ",\"first\":%" PRIu32
                        ",\"lines\":[\n",
                        is_first ? "" : ",", hot->function, i);
        else
            text_str(&h->json, ",\n");
        quote_json_shown(&h->json, line.size > 0 ? line.data : "", line.size);
        n_bytes += line.size + 1;
    }
    if (n_bytes > 0)
        text_str(&h->json, "]}");
    text_free(&line);
    return n_bytes;
}

void html_add_sources(struct html *h)
{
    size_t n_functions = h->tables.n_functions;
    struct hot *hot = memory_allocate(n_functions * sizeof(*hot));
    struct source_texts sources = {.n = 0};
    size_t n_bytes = 0;

    for (uint32_t i = 0; i < n_functions; i++)
        hot[i].function = i;
    weigh(hot, h);
    find_lines(hot, &h->tables);
    SORT(hot, n_functions, order_hot);
    text_str(&h->json, ",\n\"sources\":[");
    for (size_t i = 0; i < n_functions && i < N_FUNCTIONS_MAX; i++) {
        if (hot[i].weight > 0 && hot[i].first_line > 0 && n_bytes < ALL_BYTES_MAX)
            n_bytes += add_source(h, &sources, &hot[i], n_bytes == 0);
    }
    text_char(&h->json, ']');
}
